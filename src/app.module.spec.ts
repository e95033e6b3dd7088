import { ExpressAdapter, type NestExpressApplication } from '@nestjs/platform-express';
import { ModulesContainer } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type TemporaryDatabase, temporarySqlite } from '@animal-store/database/testing';
import { FakeClock } from '@animal-store/kernel/testing';
import { JsonLogger } from '@animal-store/operations';
import { JsonExpressAdapter } from '@animal-store/web';
import { StoreKeyIssuer } from './access/application/key-issuer.service.js';
import { AppModule } from './app.module.js';
import { configureApp } from './create-app.js';
import { Pet } from './pets/domain/pet.js';
import { PetRepository } from './pets/domain/pet.repository.js';
import { loadSettings } from './settings/settings.js';
import { tables } from './contexts.js';

const settings = loadSettings({ NODE_ENV: 'test', LOG_LEVEL: 'silent' });
const rex = Pet.restore({ id: 9007199254740993n, name: 'Rex', categoryId: 1n, status: 'available' });

/** A repository that has one animal. */
class OnePet extends PetRepository {
  add = () => Promise.reject(new Error('not in this test'));
  change = () => Promise.reject(new Error('not in this test'));
  findOneBy = () => Promise.resolve(rex);
  list = () => Promise.resolve({ items: [rex], next: null });
}

describe('A Nest testing module with the whole service', () => {
  let temporary: TemporaryDatabase;

  beforeAll(async () => void (temporary = await temporarySqlite(...tables)));
  afterAll(() => temporary.remove());

  const begin = () => {
    const clock = new FakeClock();
    const logger = new JsonLogger('silent', { write: () => undefined }, clock.now);
    const service = AppModule.forRoot({ settings, clock, database: temporary.database, logger });
    return Test.createTestingModule({ imports: [service] }).setLogger(logger);
  };
  const create = async (adapter = new JsonExpressAdapter() as ExpressAdapter, nest = begin()) =>
    (await nest.compile()).createNestApplication<NestExpressApplication>(adapter, { bodyParser: false });

  it('responds as the server does, from a repository that a test gives', async () => {
    const app = await create(undefined, begin().overrideProvider(PetRepository).useClass(OnePet));
    configureApp(app, settings);
    await app.init();
    const { text: key } = await app.get(StoreKeyIssuer).issue({ name: 'test', plan: 'free' });
    const server = app.getHttpServer() as Parameters<typeof request>[0];
    const send = (path: string) => request(server).get(path);

    const pets = await send('/v1/pets').set('Authorization', `Bearer ${key}`);
    expect(pets.text).toBe('[{"id":9007199254740993,"name":"Rex","categoryId":1,"status":"available"}]');
    expect(pets.headers).toMatchObject({ 'x-ratelimit-limit': '60', 'x-ratelimit-remaining': '59' });
    expect((await send('/v1/pets')).status).toBe(401);
    expect((await send('/nowhere').set('Accept', 'text/html')).text).toContain('This page does not exist');
  });

  it('has four global modules, and each other module imports what it uses', async () => {
    const nest = await begin().compile();
    const modules = [...nest.get(ModulesContainer, { strict: false }).values()];
    const names = modules.filter(({ isGlobal }) => isGlobal).map(({ name }) => name);
    expect(names.filter((name) => name !== 'InternalCoreModule').sort()).toEqual([
      'DatabaseModule',
      'HttpErrorsModule',
      'OperationsModule',
      'SettingsModule',
    ]);
  });

  it("says at the start that Nest's own adapter sends no int64", async () => {
    const app = await create(new ExpressAdapter());
    configureApp(app, settings);
    await expect(app.init()).rejects.toThrow('Create the application with new JsonExpressAdapter()');
  });

  it('says at the start that nothing has configured it', async () => {
    await expect((await create()).init()).rejects.toThrow('Call configureApp(app, settings)');
  });
});
