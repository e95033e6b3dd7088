import { Controller, Get, Module } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { AnyKey } from '@animal-store/api-keys';
import { PetsModule } from '../../src/pets/pets.module.js';
import { PetsV2Controller } from '../examples/pets-v2/http/pets-v2.controller.js';
import { TestApp } from '../support/test-app.js';

// As a team adds it to the list.
jest.mock('../../src/version.js', () => ({
  ...jest.requireActual<object>('../../src/version.js'),
  VERSIONS: ['1', '2'],
}));

/** As Nest's documentation writes it. */
@Controller({ path: 'kennels', version: '2' })
class KennelsV2Controller {
  @Get()
  @AnyKey()
  findAll(): string[] {
    return [];
  }
}

@Module({ imports: [PetsModule], controllers: [PetsV2Controller, KennelsV2Controller] })
class PetsV2Module {}

describe('A second version', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith(PetsV2Module);
    key = await store.key();
    for (const name of ['Rex', 'Mia'])
      await store.send('POST', '/v1/pets', key).send({ name, categoryId: 7 }).expect(201);
  });

  afterAll(() => store.stop());

  it('200: has a shape of its own, beside the first one', async () => {
    const first = await store.send('GET', '/v1/pets?limit=1', key).expect(200);
    const second = await store.send('GET', '/v2/pets?limit=1', key).expect(200);

    expect(first.body).toEqual([{ id: 1, name: 'Rex', categoryId: 7, status: 'available' }]);
    expect(second.body).toEqual([{ id: 1, name: 'Rex', category: { id: 7 }, status: 'available' }]);
    expect(second.headers['link']).toMatch(/^<\/v2\/pets\?limit=1&cursor=[^>]+>; rel="next"$/);
  });

  it.each(['/v2/pets', '/v2/unknown', '/v2/pets/unknown', '/v2'])('401: %s needs a key', async (path) => {
    expect((await store.send('GET', path, null).expect(401)).body).toMatchObject({ code: 'missing_api_key' });
  });

  it('404: a browser gets the Error object of a path that only the first version has', async () => {
    const { body } = await store.send('GET', '/v2/store/orders', key).set('Accept', 'text/html').expect(404);
    expect(body).toMatchObject({ code: 'route_not_found' });
  });

  it('400: refuses an unknown parameter', async () => {
    const { body } = await store.send('GET', '/v2/pets?stauts=sold', key).expect(400);
    expect(body).toMatchObject({
      code: 'invalid_parameter',
      message: expect.stringContaining('stauts') as string,
    });
  });

  it('is in the document, with its own ids, schemas, headings and servers', async () => {
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    const { paths, tags, components, servers } = body as OpenAPIObject;

    expect(servers).toMatchObject([{ url: '/v1' }]);
    expect(paths['/pets']).toMatchObject({ get: { operationId: 'listPets', tags: ['Pets'] } });
    expect(paths['/v2/pets']).toMatchObject({
      get: { operationId: 'listPetsV2', tags: ['Pets v2'] },
      servers: [{ url: '/' }],
    });
    expect(paths['/v2/kennels']).toMatchObject({ get: { operationId: 'kennelsFindAllV2' } });
    expect(tags!.map(({ name }) => name)).toEqual(expect.arrayContaining(['Pets', 'Pets v2']));
    expect(Object.keys(components!.schemas!)).toEqual(expect.arrayContaining(['Animal', 'AnimalV2']));
  });

  it('is in the explorer, under its whole path', async () => {
    const { text } = await store.send('GET', '/docs', null).expect(200);
    expect(text).toContain('<details id="/Pets v2/listPetsV2"><summary><code>GET /v2/pets</code>');
    expect(text).toContain('data-path="/v2/pets"');
    expect(text).toContain('data-path="/v1/pets"');
    const { body } = await store.send('GET', '/docs/search.json', null).expect(200);
    // The browser decodes the fragment before it looks for the id.
    expect(body).toContainEqual(expect.objectContaining({ url: '/docs#/Pets%20v2/listPetsV2' }));
  });

  it('ends the start when it is not in the list', async () => {
    const { VERSIONS } = jest.requireMock<{ VERSIONS: string[] }>('../../src/version.js');
    VERSIONS.pop();
    await expect(TestApp.startWith(PetsV2Module)).rejects.toThrow(
      '/v2/pets has version 2, which is not in VERSIONS.',
    );
    VERSIONS.push('2');
  });
});
