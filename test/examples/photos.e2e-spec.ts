import { TestApp } from '../support/test-app.js';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const JPEG = Buffer.from('ffd8ffe000104a4649460001', 'hex');
const PATH = '/v1/pets/1/photo';

describe('Photos', () => {
  let store: TestApp;
  let key: string;

  beforeEach(async () => {
    store = await TestApp.start();
    key = await store.key();
    await store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  afterEach(() => store.stop());

  const send = (method: string, path = PATH) => store.send(method, path, key);
  const set = (bytes = PNG, type = 'image/png') => send('PUT').set('Content-Type', type).send(bytes);

  it('201, 204: adds a photo and replaces it, with the ETag of what GET then sends', async () => {
    for (const [bytes, type, status] of [
      [PNG, 'image/png', 201],
      [JPEG, 'image/jpeg', 204],
    ] as const) {
      const { headers } = await set(bytes, type).expect(status);
      const { headers: sent } = await send('GET').expect(200);
      expect(headers['etag']).toMatch(/^"[\w-]+"$/);
      expect(headers['etag']).toBe(sent['etag']);
      await set(bytes, type).set('If-Match', headers['etag']!).expect(204);
    }
  });

  it('200: a photo is sent as it was set, in parts, and not again', async () => {
    await set().expect(201);

    const { headers, body } = await send('GET').expect(200);
    expect(body).toEqual(PNG);
    expect(headers).toMatchObject({ 'content-type': 'image/png', 'content-disposition': 'inline' });
    await send('GET').set('If-None-Match', headers['etag']!).expect(304);
    const part = await send('GET').set('Range', 'bytes=1-3').expect(206);
    expect(String(part.body)).toBe('PNG');
    await send('GET').set('Range', 'bytes=99-').expect(416);
  });

  it('412: nothing is lost of what another caller has set', async () => {
    await set().set('If-Match', '*').expect(412);
    await set().set('If-None-Match', '*').expect(201);
    await set().set('If-None-Match', '*').expect(412);
    const { headers } = await send('GET').expect(200);
    await set(JPEG, 'image/jpeg').set('If-Match', headers['etag']!).expect(204);
    await set().set('If-Match', headers['etag']!).expect(412);
    await send('DELETE').set('If-Match', headers['etag']!).expect(412);
    await send('DELETE').set('If-None-Match', '*').expect(400);

    expect((await send('GET').expect(200)).body).toEqual(JPEG);
  });

  it('304: reads no bytes', async () => {
    await set().expect(201);
    const { headers } = await send('GET').expect(200);
    const queries = jest.spyOn(store.database, 'query');
    await send('GET').set('If-None-Match', headers['etag']!).expect(304);

    const texts = queries.mock.calls.map(([sql]) => sql).join('\n');
    expect(texts).toContain('etag');
    expect(texts).not.toContain('bytes');
  });

  it('403: a key that names no scope may not remove a photo, as that scope must be named', async () => {
    await set().expect(201);
    const [all, moderator] = await Promise.all([
      store.key('business', 'zoo', null),
      store.key('business', 'zoo', ['photos:moderate']),
    ]);
    const { headers, body } = await store.send('DELETE', PATH, all).expect(403);
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="photos:moderate"');
    expect(body).toMatchObject({ code: 'insufficient_scope' });
    const wanted = { name: 'mine', scopes: ['photos:moderate'] };
    await store.send('POST', '/v1/keys', all).send(wanted).expect(403);
    await store.send('DELETE', PATH, moderator).expect(204);
  });

  it('200: follows what happens to the photo of an animal, and continues after an event', async () => {
    await set().expect(201);
    const stream = await store.listen(`${PATH}/changes`, key);
    expect(await stream.next()).toEqual({ id: '1', data: { kind: 'added' } });
    await set(JPEG, 'image/jpeg').expect(204);
    expect(await stream.next()).toEqual({ id: '2', data: { kind: 'replaced' } });
    await stream.leave();

    await send('DELETE').expect(204);
    const again = await store.listen(`${PATH}/changes`, key, { 'Last-Event-ID': '2' });
    expect(await again.next()).toEqual({ id: '3', data: { kind: 'removed' } });
    await again.leave();
    await send('GET', `${PATH}/changes`).set('Last-Event-ID', '4').expect(400);
    const { body } = await send('GET', '/v1/pets/2/photo/changes').expect(404);
    expect(body).toMatchObject({ code: 'pet_not_found' });
  });

  it('200: sends the counts as they are, and as they change', async () => {
    const stream = await store.listen('/v1/photo-counts/changes', key);
    expect(await stream.next()).toMatchObject({ data: { types: [] } });
    await set().expect(201);
    expect(await stream.next()).toMatchObject({ data: { types: [{ mediaType: 'image/png', photos: 1 }] } });
    await stream.leave();
  });

  it('400: bytes that are not what the type says', async () => {
    await set(Buffer.from('GIF89a')).expect(400, {
      code: 'validation_failed',
      message: 'The body is no image/png.',
      status: 400,
    });
  });

  it('404: no animal, and an animal without a photo', async () => {
    expect((await send('GET').expect(404)).body).toMatchObject({ code: 'photo_not_found' });
    expect((await send('DELETE').expect(404)).body).toMatchObject({ code: 'photo_not_found' });
    const { body } = await send('PUT', '/v1/pets/2/photo').set('Content-Type', 'image/png').send(PNG);
    expect(body).toMatchObject({ code: 'pet_not_found' });
  });

  it('413, 415: too large, and another type', async () => {
    await set(Buffer.alloc(2_000_001)).expect(413);
    await set(PNG, 'image/gif').expect(415);
  });
});
