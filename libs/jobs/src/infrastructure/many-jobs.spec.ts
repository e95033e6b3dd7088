import type { Transaction } from '@animal-store/kernel';
import { describeOnPostgres, emptyBeforeEach, temporaryPostgres } from '@animal-store/database/testing';
import { jobsTables } from './jobs.tables.js';
import { JobStore } from './job-store.js';

/** A busy subject, 10,000 others, and what waits for later, in 100,000 rows of one kind. */
const FILL = [
  `SELECT 'notify', 'busy', 'waiting', id FROM generate_series(1, 50000) AS id`,
  `SELECT 'notify', 'quiet ' || id % 10000, 'waiting', id FROM generate_series(1, 30000) AS id`,
  `SELECT 'notify', 'later ' || id % 100, 'delayed', 9000000000000 + id FROM generate_series(1, 14000) AS id`,
  `SELECT 'notify', 'soon ' || id % 100, 'delayed', id FROM generate_series(1, 5000) AS id`,
  `SELECT 'notify', 'running ' || id, 'running', 9000000000000 + id FROM generate_series(1, 900) AS id`,
  `SELECT 'notify', 'lost ' || id, 'running', id FROM generate_series(1, 100) AS id`,
].map(
  (rows) => `INSERT INTO jobs (kind, subject, payload, state, due_at, tries, tries_left, created_at)
  SELECT kind, subject, '{}', state, due_at, 0, 10, 0 FROM (${rows}) AS job (kind, subject, state, due_at)`,
);

/** The entries of indexes, and the rows of the table without one, that the transaction has read. */
const READ = `SELECT coalesce(sum(pg_stat_get_xact_tuples_returned(oid)), 0) AS read FROM (
  SELECT 'jobs'::regclass::oid AS oid UNION ALL SELECT indexrelid FROM pg_index WHERE indrelid = 'jobs'::regclass) AS relations`;

const LEASE = { nowMs: null, leaseMs: 30_000 };
const CLAIM = { kind: 'notify', limit: 10, attempts: 10, ...LEASE };

type Step = (store: JobStore, within: Transaction) => Promise<unknown>;

/** What a worker does, and how many entries it may read: a few for each job and each subject that it checks. */
const STEPS: [name: string, max: number, step: Step][] = [
  ['polls the backlogs', 10, (store, within) => store.backlogs(['notify', 'write', 'count'], within)],
  ['looks which kinds there are', 10, (store, within) => store.kinds(within)],
  ['claims ten jobs', 40, ({ claims }, within) => claims.claim(CLAIM, within)],
  ['releases 500 that are due', 1_100, ({ claims }, within) => claims.release('notify', 10_000, within)],
  [
    'takes 100 from workers that have ended',
    300,
    ({ claims }, within) => claims.reclaim('notify', 10_000, [7n], within),
  ],
  [
    'extends the leases of three',
    9,
    ({ claims }, within) => claims.extend([94_101n, 94_102n, 94_103n], LEASE, within),
  ],
  ['finds a job', 3, (store, within) => store.find(50_001n, within)],
];

describeOnPostgres('A worker with 100,000 jobs before it', () => {
  const temporary = emptyBeforeEach(temporaryPostgres, jobsTables);
  let store: JobStore;

  async function fill(): Promise<void> {
    const { database } = temporary;
    await database.run(async (transaction) => {
      for (const sql of FILL) await database.session(transaction).query(sql);
    });
  }

  /** How many entries a step reads. What it changes is undone. */
  async function readBy(step: Step): Promise<number> {
    const { database } = temporary;
    let read = 0;
    const undone = new Error('undone');
    const running = database.run(async (transaction) => {
      const count = async () =>
        Number((await database.session(transaction).query<{ read: string }>(READ))[0]!.read);
      const before = await count();
      await step(store, transaction);
      read = (await count()) - before;
      throw undone;
    });
    await expect(running).rejects.toBe(undone);
    return read;
  }

  beforeEach(async () => {
    // Without the entries of rows that the test before has removed, which a VACUUM may have to leave.
    await temporary.database.query('TRUNCATE jobs');
    store = new JobStore(temporary.database);
  });

  async function expectFew(): Promise<void> {
    const tooMany: string[] = [];
    for (const [name, max, step] of STEPS) {
      const read = await readBy(step);
      if (read > max) tooMany.push(`It ${name}: ${read} entries`);
    }
    expect(tooMany).toEqual([]);
  }

  it('reads few of them when PostgreSQL knows how many there are', async () => {
    await fill();
    await temporary.database.query('VACUUM ANALYZE jobs');

    await expectFew();
  });

  it('reads few of them when it has planned its statements while there were none', async () => {
    await temporary.database.query('VACUUM ANALYZE jobs');
    for (const [, , step] of STEPS) await readBy(step);
    await fill();

    await expectFew();
  });

  it('reads few of them when PostgreSQL has last counted some', async () => {
    await temporary.database.query(FILL[0]!.replace('50000', '100'));
    await temporary.database.query('VACUUM ANALYZE jobs');
    await fill();

    await expectFew();
  });

  it('is measured by what it reads', async () => {
    await fill();

    expect(
      await readBy((_, within) => temporary.database.session(within).query('SELECT count(*) FROM jobs')),
    ).toBe(100_000);
  });
});
