import { StorageUnavailable } from '@animal-store/kernel';
import { NewPostgres } from '../../testing/new-postgres.js';
import { notesTables } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number) VALUES ($1)';
const NUMBERS = 'SELECT number FROM notes ORDER BY number';

// Without a pooler, as only then the removed statements are those of the connection.
describeOnPostgres('Prepared statements that were removed from a session', () => {
  const postgres = NewPostgres.forEachTest(notesTables, { poolSize: 2 });
  const numbers = () => postgres.database.query(NUMBERS);
  const add = (number: number) =>
    postgres.run(async (session) => {
      await session.query(NUMBERS);
      await session.query(INSERT, [number]);
    });

  it('are prepared again', async () => {
    await Promise.all([numbers(), add(1)]);
    await postgres.database.query('DEALLOCATE ALL');
    await postgres.run((session) => session.query('DEALLOCATE ALL'));

    await add(2);
    expect(await numbers()).toEqual([{ number: 1n }, { number: 2n }]);
  });

  it('are not run a third time', async () => {
    let runs = 0;
    const never = postgres.run(async (session) => {
      runs++;
      await session.query(NUMBERS);
      await session.query('DEALLOCATE ALL');
      await session.query(NUMBERS);
    });
    await expect(never).rejects.toThrow(StorageUnavailable);
    expect(runs).toBe(2);
  });

  it('are not followed by others when one is BEGIN, also when the work continues', async () => {
    const insert = { single: INSERT, many: null };
    await add(1);
    await postgres.run(async (session) => {
      const prepared = "SELECT name FROM pg_prepared_statements WHERE statement = 'BEGIN'";
      const [begin] = await session.query<{ name: string }>(prepared);
      await session.query(`DEALLOCATE "${begin!.name}"`);
    });
    // It is run again on another connection, and would break a unique key if anything were stored.
    await postgres.run(async (session) => {
      await session.execute(insert, [2]);
      await session.query(NUMBERS).catch(() => undefined);
      await session.execute(insert, [3]);
      await session.query(NUMBERS).catch(() => undefined);
    });
    expect(await numbers()).toEqual([{ number: 1n }, { number: 2n }, { number: 3n }]);
  });
});
