import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '@animal-store/database';
import { openNewSqlite, sqliteOptions } from '@animal-store/database/testing';
import { jobsTables } from '@animal-store/jobs';
import { FakeClock } from '@animal-store/kernel/testing';
import { accessTables } from '../../access/infrastructure/access.tables.js';
import { loadSettings } from '../../settings/settings.js';
import { runJobs } from './jobs.program.js';

/** Jobs as the service leaves them: one of each state, and a payload with an id beyond 2^53. */
const JOBS = [
  `('orders.expire', '-', 'null', 'waiting', 0, 10, NULL, NULL)`,
  `('pets.notify', 'zoo', '{"id":{"$bigint":"9007199254740993"}}', 'delayed', 2, 8, NULL, 'the bell is broken')`,
  `('pets.notify', 'zoo', '"two"', 'running', 1, 9, NULL, NULL)`,
  `('pets.notify', 'circus', '"three"', 'done', 1, 9, 1773489600000, NULL)`,
  `('pets.notify', 'circus', '"four"', 'failed', 10, 0, 1773489600000, 'the bell is ' || 'broken')`,
  `('pets.notify', 'circus', '"five"', 'failed', 10, 0, 1773489600000, 'nobody' || char(27) || '[31m')`,
];

describe('the jobs command line', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'jobs-'));
    file = join(folder, 'store.db');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function jobs(line: string) {
    let out = '';
    let err = '';
    const code = await runJobs(line.split(' '), {
      environment: () => ({ DATABASE_URL: `sqlite:${file}` }),
      clock: new FakeClock('2026-03-14T12:00:00.000Z'),
      print: (text) => (out += text),
      complain: (text) => (err += text),
    });
    return { code, out, err };
  }

  /** What `--json` prints. */
  async function printed<T>(line: string): Promise<T> {
    const { code, out } = await jobs(`${line} --json`);
    expect(code).toBe(0);
    return JSON.parse(out) as T;
  }

  async function createJobs(): Promise<void> {
    const database = await openNewSqlite(sqliteOptions(file), [jobsTables]);
    await database.run(async (transaction) => {
      for (const job of JOBS)
        await database.session(transaction).query(`INSERT INTO jobs
          (kind, subject, payload, state, tries, tries_left, ended_at, problem, due_at, created_at)
          SELECT *, 1773489600000, 1773486000000 FROM (VALUES ${job})`);
    });
    await database.close();
  }

  const stateOf = async (id: number) => (await printed<{ state: string }>(`show ${id}`)).state;

  it.each(['not JSON', '', '{"id":{"$bigint":"1.5"}}'])(
    'lists and shows a job whose payload cannot be read, as it is stored: %j',
    async (payload) => {
      await createJobs();
      const database = await openDatabase(loadSettings({ DATABASE_URL: `sqlite:${file}` }).database, []);
      const change = 'UPDATE jobs SET payload = ? WHERE id = 4';
      await database.run((transaction) => database.session(transaction).query(change, [payload]));
      await database.close();

      expect((await jobs('list')).code).toBe(0);
      expect((await printed<{ payload: string }[]>('list')).map((job) => job.payload)).toContain(payload);
      expect((await printed<{ payload: string }>('show 4')).payload).toBe(payload);
      expect((await printed<{ state: string }>('cancel 1')).state).toBe('cancelled');
    },
  );

  it('lists the jobs that were added last, of a kind, in a state, as many as it says', async () => {
    await createJobs();
    const ids = async (options: string) =>
      (await printed<{ id: string }[]>(`list ${options}`.trim())).map(({ id }) => id);

    expect(await ids('')).toEqual(['6', '5', '4', '3', '2', '1']);
    expect(await ids('--kind orders.expire')).toEqual(['1']);
    expect(await ids('--state failed')).toEqual(['6', '5']);
    expect(await ids('--kind pets.notify --limit 2')).toEqual(['6', '5']);
    const { out } = await jobs('list --state delayed');
    expect(out).toMatch(
      /^ID +KIND +SUBJECT +STATE +ATTEMPTS +CREATED +PROBLEM\n2 +pets.notify +zoo +delayed +2 +03-14 11:00Z +the bell is broken\n$/,
    );
    expect((await jobs('list --state cancelled')).out).toBe('There are no such jobs.\n');
  });

  it('shows a job with its payload, exactly, as text or as JSON', async () => {
    await createJobs();

    expect(await printed('show 2')).toEqual({
      id: '2',
      kind: 'pets.notify',
      subject: 'zoo',
      state: 'delayed',
      attempts: 2,
      attemptsLeft: 8,
      createdAt: '2026-03-14T11:00:00.000Z',
      dueAt: '2026-03-14T12:00:00.000Z',
      endedAt: null,
      problem: 'the bell is broken',
      payload: '{"id":9007199254740993}',
    });
    const { out } = await jobs('show 2');
    expect(out).toContain('  runs from      2026-03-14T12:00:00.000Z\n');
    expect(out).toContain('  payload        {"id":9007199254740993}\n');
    // A terminal obeys none of it.
    expect((await jobs('show 6')).out).toContain('nobody\ufffd[31m');
  });

  it('retries and cancels jobs', async () => {
    await createJobs();

    expect(await printed('retry 5')).toMatchObject({ id: '5', state: 'waiting', attemptsLeft: null });
    expect((await jobs('show 5')).out).toContain(', and as many as its kind has left\n');
    expect(await printed('cancel 1 2')).toMatchObject([
      { id: '1', state: 'cancelled' },
      { id: '2', state: 'cancelled' },
    ]);
    expect((await jobs('retry 1 2')).out).toMatch(/^ID .*\n1 .* waiting .*\n2 .* waiting .*\n$/);
    expect(await Promise.all([1, 2, 5].map(stateOf))).toEqual(['waiting', 'waiting', 'waiting']);
  });

  it('changes none of several when one cannot be changed', async () => {
    await createJobs();

    expect(await jobs('retry 5 6 4')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/jobs: Job 4 is done and cannot be retried.\n$/) as string,
    });
    expect(await jobs('cancel 5 3')).toMatchObject({
      code: 1,
      err: expect.stringContaining('Job 3 is running') as string,
    });
    expect(await jobs('cancel 5 7')).toMatchObject({
      code: 1,
      err: expect.stringContaining('No job has id 7.') as string,
    });
    expect(await Promise.all([5, 6].map(stateOf))).toEqual(['failed', 'failed']);
  });

  it.each([
    ['show', "jobs: missing required argument 'id'"],
    [
      'show zoo',
      "jobs: command-argument value 'zoo' is invalid for argument 'id'. It must be the id of a job.",
    ],
    [
      'retry 1 0',
      "jobs: command-argument value '0' is invalid for argument 'ids'. It must be the id of a job.",
    ],
    ['list --limit 1001', 'It must be a whole number from 1 to 1000.'],
    ['list --state asleep', 'Allowed choices are waiting, delayed, running, done, failed, cancelled.'],
    ['forget 1', "jobs: unknown command 'forget'"],
  ])('refuses bad arguments with one line, before it opens anything: %s', async (line, complaint) => {
    const { code, out, err } = await jobs(line);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(complaint);
    expect(err.trim().split('\n')).toHaveLength(1);
  });

  it('does not create a database', async () => {
    expect(await jobs('list')).toMatchObject({ code: 1, out: '' });
  });

  it('says that no server has started on a database which has only keys', async () => {
    await (await openNewSqlite(sqliteOptions(file), [accessTables])).close();
    expect(await jobs('list')).toEqual({
      code: 1,
      out: '',
      err: `jobs: The database file ${file} has no jobs yet: no server has started on it.\n`,
    });
  });
});
