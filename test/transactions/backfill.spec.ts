import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { FillVisitLengthsJob } from '../examples/backfill/infrastructure/fill-visit-lengths.job.js';
import { AddNameLength1795100004000 } from '../examples/backfill/infrastructure/migrations/1795100004000-add-name-length.js';
import { TypeOrmVisitLengthRepository } from '../examples/backfill/infrastructure/typeorm-visit-length.repository.js';
import { VisitLengthRecord } from '../examples/backfill/infrastructure/visit-length.record.js';
import { TypeOrmVisitRepository } from '../examples/visits/infrastructure/typeorm-visit.repository.js';
import { VisitRecord } from '../examples/visits/infrastructure/visit.record.js';
import { visitsTables } from '../examples/visits/infrastructure/visits.tables.js';

const added = { records: [VisitRecord, VisitLengthRecord], migrations: [AddNameLength1795100004000] };

describe.each(databases)('A column with a backfill on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, { ...visitsTables, records: [] }, added);
  const job = () => new FillVisitLengthsJob(new TypeOrmVisitLengthRepository(temporary.database));
  /** As replicas of the release before do, which do not know the column. */
  const older = () => new TypeOrmVisitRepository(temporary.database);

  async function unfilled(): Promise<number> {
    const sql = 'SELECT COUNT(*) AS rows FROM visits WHERE name_length IS NULL';
    return Number((await temporary.database.query<{ rows: number }>(sql))[0]!.rows);
  }

  it('is filled in steps, and continues where it was interrupted', async () => {
    const old = older();
    await Promise.all(Array.from({ length: 1_200 }, () => old.add({ name: 'Łucja 🦜' })));
    const interruption = new AbortController();
    const visits = new TypeOrmVisitLengthRepository(temporary.database);
    const steps: bigint[] = [];
    const fill = visits.fill.bind(visits);
    visits.fill = (from, until) => {
      if (steps.push(from) === 2) interruption.abort(new Error('The server ends.'));
      return fill(from, until);
    };
    const begun = new FillVisitLengthsJob(visits);
    await expect(begun.run(null, interruption.signal)).rejects.toThrow('The server ends.');
    expect(await unfilled()).toBe(200);

    await begun.run(null, new AbortController().signal);
    expect(steps).toEqual([1n, 501n, 1_001n]);
    expect(await unfilled()).toBe(0);
    const rows = await temporary.database.query<{ length: number }>(
      'SELECT DISTINCT name_length AS length FROM visits',
    );
    expect(rows.map(({ length }) => Number(length))).toEqual([7]);
  });

  it('is filled for what an older replica adds meanwhile, by the next run', async () => {
    await older().add({ name: 'Robin' });
    await job().run(null, new AbortController().signal);
    await older().add({ name: 'Kim' });
    expect(await unfilled()).toBe(1);

    await job().run(null, new AbortController().signal);
    expect(await unfilled()).toBe(0);
  });
});
