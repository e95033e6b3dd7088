import { setTimeout as delay } from 'node:timers/promises';
import { StorageUnavailable } from '@animal-store/kernel';
import { openDatabase } from '../../opening/data-source.js';
import { Network } from '../../testing/network.js';
import { hasPostgres, PostgresServer } from '../../testing/postgres-server.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import { notesTables } from '../../testing/tables.js';
import { describeOnPostgres, temporaryPostgresOptions } from '../../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number) VALUES ($1)';
const CHANGE = "UPDATE notes SET text = 'changed' WHERE number = 1";

describeOnPostgres('A frozen replica', () => {
  const postgres = NewPostgres.forEachTest(notesTables, { statementTimeoutMs: 8_000 });

  it('loses the transaction that it has open, so that others get its locks', async () => {
    await postgres.run((session) => session.query(INSERT, [1]));
    const { proxy, url } = await postgres.openProxy();
    const frozen = await postgres.openAnother({ url });
    let isLocked = (): void => undefined;
    const locked = new Promise<void>((resolve) => (isLocked = resolve));
    let continues = (): void => undefined;
    const writing = frozen.run(async (transaction) => {
      await frozen.session(transaction).query(CHANGE);
      isLocked();
      return new Promise<void>((resolve) => (continues = resolve));
    });
    await locked;
    proxy.stall();

    let changed = false;
    while (!changed)
      changed = await postgres
        .run((session) => session.query(CHANGE))
        .then(
          () => true,
          () => false,
        );
    const { rows } = await postgres.other.query('SELECT text FROM notes');
    expect(rows).toEqual([{ text: 'changed' }]);
    proxy.resume();
    continues();
    await expect(writing).rejects.toThrow(StorageUnavailable);
    await frozen.close();
  });
});

const network = hasPostgres() ? Network.make() : null;
const describeOnNetwork = network ? describe : describe.skip;

describeOnNetwork(
  `A connection whose other host has vanished${network ? '' : ': this process must not make a network'}`,
  () => {
    let server: PostgresServer | undefined;

    beforeAll(async () => {
      server = await PostgresServer.startIn(network!);
    });

    afterAll(async () => {
      await server?.stop();
      network!.remove();
    });

    it('ends within 20 s on both sides', async () => {
      const settings = { ...(await temporaryPostgresOptions()), url: server!.url, poolSize: 2 };
      const database = await openDatabase(settings, [notesTables]);
      await database.openConnections();
      const openCount = () => database.connections!.open;
      expect([openCount(), network!.connectionCount]).toEqual([4, 4]);

      network!.vanish();
      const vanishedAtMs = performance.now();
      while (openCount() > 0 || network!.connectionCount > 0) await delay(100);
      expect(performance.now() - vanishedAtMs).toBeLessThan(20_000);
      await database.close();
    });
  },
);
