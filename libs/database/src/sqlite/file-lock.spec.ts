import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileLock } from './file-lock.js';

const NOON = Date.UTC(2026, 2, 14, 12);

describe('FileLock', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'lock-'));
    file = join(folder, 'store.db');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function acquire(holder: string, timeoutMs = 0): Promise<FileLock> {
    return FileLock.acquire(file, { name: holder, nowMs: NOON }, timeoutMs);
  }

  it('has one owner at a time, and names the owner', async () => {
    const lock = await acquire('the server');

    await expect(acquire('migrate-data')).rejects.toThrow(
      `it is in use by the server (process ${process.pid} on ${hostname()}, since 2026-03-14T12:00:00.000Z), and only one process can use a file`,
    );
    lock.release();
  });

  it('goes to a waiting process when it is released', async () => {
    const first = await acquire('the first server');
    const second = acquire('the second server', 10_000);
    await expect(acquire('the third server')).rejects.toThrow('in use by the first server');
    first.release();

    const lock = await second;
    await expect(acquire('the third server')).rejects.toThrow('in use by the second server');
    lock.release();
  });

  it('goes to exactly one of many that request it at once', async () => {
    const outcomes = await Promise.allSettled(['one', 'two', 'three', 'four'].map((name) => acquire(name)));

    const acquired = outcomes.filter((outcome) => outcome.status === 'fulfilled');
    expect(acquired).toHaveLength(1);
    acquired[0]!.value.release();
  });
});
