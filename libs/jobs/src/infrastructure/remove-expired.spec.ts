import { Clock } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FakeClock } from '@animal-store/kernel/testing';
import { RemoveExpired } from './remove-expired.js';

@Entity({ name: 'notes' })
class NoteRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint' })
  day: bigint;
}

class CreateNotes1795000000001 {
  readonly up = (runner: { query(sql: string): Promise<unknown> }) =>
    runner.query('CREATE TABLE notes (id bigint PRIMARY KEY, day bigint NOT NULL)');
  readonly down = () => Promise.resolve();
}

class RemoveOldNotes extends RemoveExpired<NoteRecord, 'day' | 'id'> {
  constructor(database: Database, clock: Clock) {
    super(database, NoteRecord, {
      beginning: { day: 0n, id: 0n },
      where: ({ day }) => `${day} < :today`,
      args: () => ({ today: BigInt(clock.now()) }),
    });
  }
}

describe.each(databases)('A job that removes expired rows, on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, { records: [NoteRecord], migrations: [CreateNotes1795000000001] });
  const clock = new FakeClock(5);
  const { signal } = new AbortController();
  /** A transaction removes as many rows, and a few more are removed by a second one. */
  let step: number;

  beforeEach(async () => {
    const { database } = temporary;
    step = database.dialect === 'sqlite' ? 100 : 1_000;
    const sql = `WITH RECURSIVE id(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM id WHERE n < ${step + 60})
      INSERT INTO notes (id, day) SELECT n, n % 6 FROM id`;
    await database.run((transaction) => database.session(transaction).query(sql));
  });

  const left = async () => {
    const rows = await temporary.database.query<{ day: bigint }>('SELECT DISTINCT day FROM notes ORDER BY 1');
    return rows.map(({ day }) => day);
  };

  it('removes all of them, and no others', async () => {
    await new RemoveOldNotes(temporary.database, clock).run(null, signal);

    expect(await left()).toEqual([5n]);
  });

  it('removes them in the order in which they expired, a bounded number at a time, after requests', async () => {
    const { background } = temporary.database;
    const later = new FakeClock(100);
    const controller = new AbortController();
    const run = background.run.bind(background);
    const steps = jest
      .spyOn(background, 'run')
      .mockImplementation((work, within) =>
        run(work, within).finally(() => controller.abort(new Error('the server stops'))),
      );

    await expect(
      new RemoveOldNotes(temporary.database, later).run(null, controller.signal),
    ).rejects.toThrow();
    expect(steps).toHaveBeenCalledTimes(1);
    const [row] = await temporary.database.query<{ count: bigint; day: bigint }>(
      'SELECT count(*) AS count, min(day) AS day FROM notes',
    );
    expect(Number(row!.count)).toBe(60);
    expect(row!.day).toBeGreaterThan(2n);

    steps.mockRestore();
    await new RemoveOldNotes(temporary.database, later).run(null, signal);
    expect(await left()).toEqual([]);
  });
});
