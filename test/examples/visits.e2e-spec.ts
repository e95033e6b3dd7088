import { TestApp } from '../support/test-app.js';

describe('Visits', () => {
  let store: TestApp;
  let key: string;

  beforeEach(async () => {
    store = await TestApp.start();
    key = await store.key();
  });

  afterEach(() => store.stop());

  const get = (path: string) => store.send('GET', path, key);
  const post = (body: object) => store.send('POST', '/v1/visits', key).send(body);

  it('201: adds a visit and returns its URL', async () => {
    const { body, headers } = await post({ name: 'Robin' }).expect(201);

    expect(body).toEqual({ id: 1, name: 'Robin' });
    expect(headers['location']).toBe('/v1/visits/1');
    expect((await get('/v1/visits/1').expect(200)).body).toEqual(body);
  });

  it('400 validation_failed: names the field and the rule, and adds nothing', async () => {
    const { body } = await post({}).expect(400);

    expect(body).toEqual({ code: 'validation_failed', message: 'name is required.', status: 400 });
    expect((await get('/v1/visits')).body).toEqual([]);
  });

  it('200: lists every page, ascending by id', async () => {
    for (const name of ['Robin', 'Kim', 'Ada']) await post({ name }).expect(201);
    const first = await get('/v1/visits?limit=2').expect(200);
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers['link']!)!;
    const last = await get(next!).expect(200);

    expect([first.body, last.body]).toMatchObject([[{ id: 1 }, { id: 2 }], [{ id: 3 }]]);
    expect(last.headers['link']).toBeUndefined();
  });

  it('404 visit_not_found: no visit has the id', async () => {
    expect((await get('/v1/visits/7').expect(404)).body).toEqual({
      code: 'visit_not_found',
      message: 'No visit has id 7.',
      status: 404,
    });
  });
});
