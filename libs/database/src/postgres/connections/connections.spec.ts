import { Logger } from '@nestjs/common';
import { StorageUnavailable } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import type { Pool } from 'pg';
import type { Database } from '../../database.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import { Connections } from './connections.js';
import { notesTables } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';

const INSERT = 'INSERT INTO notes (number, text) VALUES ($1, $2) RETURNING number AS id';
const MANY =
  'INSERT INTO notes (number, text) SELECT * FROM unnest($1::bigint[], $2::text[]) RETURNING number AS id';
const COUNT = 'SELECT count(*) FROM notes';

describeOnPostgres('A server that PostgreSQL gives fewer connections than it wants', () => {
  const postgres = NewPostgres.forEachTest(notesTables);
  let testCount = 0;
  let lastNumber = 0;
  let role: string;
  let limited: Database;
  let clock: FakeClock;
  let warn: jest.SpyInstance;

  beforeEach(async () => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
    // It is removed with the server, at the end of the run.
    role = `few_${process.pid}_${++testCount}`;
    await postgres.other.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 5`);
    const { rows } = await postgres.other.query<{ name: string }>('SELECT current_schema() AS name');
    await postgres.other.query(
      `GRANT ALL ON SCHEMA ${rows[0]!.name} TO ${role}; GRANT ALL ON ALL TABLES IN SCHEMA ${rows[0]!.name} TO ${role}`,
    );
    const url = new URL(postgres.settings.url);
    url.username = role;
    clock = new FakeClock();
    limited = await postgres.openAnother({ url: url.href, poolSize: 10 }, { clock });
    await limited.openConnections();
  });

  afterEach(() => limited.close());

  /** Ends every connection of the role, as a restart does. */
  async function breakAll(): Promise<void> {
    const sql = 'SELECT pg_terminate_backend(pid, 1000) FROM pg_stat_activity WHERE usename = $1';
    await postgres.other.query(sql, [role]);
  }

  async function addAll(count: number): Promise<void> {
    const insert = limited.inserter({ single: INSERT, many: MANY });
    const oneByOne = (number: number) =>
      limited.run((transaction) => limited.session(transaction).query(INSERT, [number, 'alone']));
    await Promise.all(
      Array.from({ length: count }, () => {
        const number = ++lastNumber;
        return number % 2 ? insert([number, 'many']) : oneByOne(number);
      }),
    );
  }

  it('says so once, with both numbers', () => {
    expect(limited.connections).toEqual({ open: 5, wanted: 12, areRefused: true });
    expect(warn.mock.calls).toEqual([[expect.stringContaining('5 of 12 are open')]]);
  });

  it('refuses no request for it', async () => {
    const reads = Array.from({ length: 100 }, () => limited.query(COUNT));
    await Promise.all([...reads, addAll(200)]);

    expect(await limited.query(COUNT)).toEqual([{ count: 200n }]);
    expect(limited.connections).toMatchObject({ open: 5, areRefused: true });
  });

  it('gets them all when PostgreSQL accepts them again, and says so again when it refuses some later', async () => {
    const readMany = () => Promise.all(Array.from({ length: 100 }, () => limited.query(COUNT)));
    const work = async () => void (await Promise.all([readMany(), addAll(50)]));
    clock.advance(5_001);
    await work();
    expect(limited.connections).toEqual({ open: 5, wanted: 12, areRefused: true });
    expect(warn).toHaveBeenCalledTimes(1);

    await postgres.other.query(`ALTER ROLE ${role} CONNECTION LIMIT 20`);
    await work();
    expect(limited.connections).toMatchObject({ open: 5 });
    clock.advance(10_001);
    await work();
    expect(limited.connections!.open).toBeGreaterThan(5);
    expect(limited.connections).toMatchObject({ areRefused: false });

    await postgres.other.query(`ALTER ROLE ${role} CONNECTION LIMIT 5`);
    await breakAll();
    for (let attempt = 0; attempt < 12; attempt++) await Promise.allSettled([work(), limited.check()]);
    await limited.check();
    await work();
    expect(limited.connections).toMatchObject({ areRefused: true });
    expect(limited.connections!.open).toBeLessThanOrEqual(5);
    expect(warn).toHaveBeenCalledTimes(2);
  });

  it('has connections for reads, for writes and for the background again when all have broken', async () => {
    for (let round = 0; round < 3; round++) {
      await breakAll();
      // Each broken connection is noticed by what uses it.
      for (let attempt = 0; attempt < 12; attempt++)
        await Promise.allSettled([
          limited.query(COUNT),
          limited.check(),
          limited.run(() => Promise.resolve()),
        ]);
      await Promise.all(Array.from({ length: 20 }, () => limited.query(COUNT)));
      await addAll(20);
      await limited.check();
      await limited.background.query(COUNT);
      await postgres.other.query('DELETE FROM notes');
    }
  });

  it('is unavailable when PostgreSQL gives it none', async () => {
    await postgres.other.query(`ALTER ROLE ${role} CONNECTION LIMIT 0`);
    await breakAll();
    // The first finds out that the connections have broken.
    await Promise.allSettled(Array.from({ length: 20 }, () => limited.query(COUNT)));

    await expect(limited.query(COUNT)).rejects.toThrow(StorageUnavailable);
  });
});

describe('Work on a connection', () => {
  const client = { on: jest.fn(), off: jest.fn(), release: jest.fn() };
  const pool = { options: { max: 1 }, totalCount: 1, on: () => pool, connect: () => Promise.resolve(client) };
  const run = (work: () => Promise<string>) =>
    new Connections([pool as unknown as Pool], new FakeClock()).run(pool as unknown as Pool, work);
  const failed = (code: string) => Object.assign(new Error('no'), { code });

  it.each(['40001', '40P01'])('is done again after %s, three times at most', async (code) => {
    const work = jest.fn<Promise<string>, []>().mockRejectedValueOnce(failed(code));
    work.mockRejectedValueOnce(failed(code)).mockResolvedValueOnce('done');
    expect(await run(work)).toBe('done');
    expect(work).toHaveBeenCalledTimes(3);

    const error = failed(code);
    work.mockReset().mockRejectedValue(error);
    await expect(run(work)).rejects.toMatchObject({ code: 'service_unavailable', cause: error });
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('is done once when it ends with another error', async () => {
    const error = failed('22001');
    const work = jest.fn<Promise<string>, []>().mockRejectedValue(error);
    await expect(run(work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
  });
});
