import pg from 'pg';
import { Batcher } from '@animal-store/kernel';
import { describeOnPostgres, temporaryPostgresOptions } from '@animal-store/database/testing';
import { TestApp } from '../support/test-app.js';

/** The objects of this repository on the stack of the caller, the outermost first. */
function objectsOnStack(): string[] {
  const frames = new Error().stack!.split('\n').filter((line) => /\/(src|libs)\//.test(line));
  return frames.flatMap((line) => /at (?:async )?(\w+)\./.exec(line)?.[1] ?? []).reverse();
}

describeOnPostgres('An addition on PostgreSQL', () => {
  const { stackTraceLimit } = Error;
  let store: TestApp;

  beforeAll(async () => {
    Error.stackTraceLimit = 200;
    store = await TestApp.start({ DATABASE_URL: (await temporaryPostgresOptions()).url });
  });

  afterAll(async () => {
    Error.stackTraceLimit = stackTraceLimit;
    jest.restoreAllMocks();
    await store.stop();
  });

  it('passes eight objects between its controller and the driver', async () => {
    const key = await store.key();
    const stacks: string[][] = [];
    const { add } = Batcher.prototype;
    jest.spyOn(Batcher.prototype, 'add').mockImplementation(function (this: Batcher<unknown, unknown>, item) {
      const stack = objectsOnStack();
      // What runs in the background uses it, too.
      if (stack.includes('PetsController')) stacks.push(stack);
      return add.call(this, item);
    });
    const query = pg.Client.prototype.query as unknown as (sent: pg.QueryConfig) => unknown;
    jest.spyOn(pg.Client.prototype, 'query').mockImplementation(function (
      this: pg.Client,
      sent: pg.QueryConfig,
    ) {
      if (sent.text.startsWith('INSERT INTO "pets"')) stacks.push(objectsOnStack());
      return query.call(this, sent);
    } as never);

    await store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 1 }).expect(201);

    // The batch of a turn is sent in the next one, so there are two stacks.
    const objects = [...new Set(stacks.flat())];
    expect(objects.slice(objects.indexOf('PetsController') + 1)).toEqual([
      'CreatePet',
      'JobOutbox',
      'TypeOrmPetRepository',
      'InsertStatement',
      'SharedInserts',
      'Batcher',
      'Connections',
      'RoundTrip',
    ]);
  });
});
