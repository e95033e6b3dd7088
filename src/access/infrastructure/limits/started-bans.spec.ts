import { setImmediate as turn } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { ManualTimers } from '@animal-store/kernel/testing';
import { accessTables } from '../access.tables.js';
import { TypeOrmKeyHistory } from '../keys/typeorm-key-history.js';
import { StartedBans } from './started-bans.js';

const NOON_MS = Date.UTC(2026, 2, 14, 12);
/** A key of the account zoo. */
const ZOO = 'account zoo\nkey_anna';
const ban = { sinceMs: NOON_MS, untilMs: NOON_MS + 60_000, refusals: 20 };

describe.each(databases)('StartedBans on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, accessTables);
  let timers: ManualTimers;
  let bans: StartedBans;

  beforeEach(() => {
    timers = new ManualTimers();
    bans = new StartedBans(temporary.database, timers.start);
    bans.onApplicationBootstrap();
  });

  afterEach(() => jest.restoreAllMocks());

  /** Resolves when the step is done and the next one is planned. */
  async function step(): Promise<void> {
    await timers.fire();
    while (timers.restsMs.length === 0) await turn();
  }

  const historyOf = (subject: string) => new TypeOrmKeyHistory(temporary.database).of([subject]);

  it('add each ban to the history of its key: who, when and why', async () => {
    bans.note(ZOO, ban);
    bans.note(ZOO, { ...ban, sinceMs: NOON_MS + 120_000 });
    await step();
    await step();
    expect(await historyOf('key_anna')).toEqual([
      {
        subject: 'key_anna',
        atMs: NOON_MS,
        by: 'the rate limiter',
        before: { bannedUntil: null },
        after: {
          bannedUntil: '2026-03-14T12:01:00.000Z',
          reason: '20 of its requests within a minute were refused',
        },
      },
      expect.objectContaining({ atMs: NOON_MS + 120_000 }),
    ]);
  });

  it('have no row for an address, and none for what is counted apart', async () => {
    const callers = ['192.0.2.7', '192.0.2.7\npreflight 192.0.2.7', 'account zoo\nusage key_anna'];
    for (const caller of callers) bans.note(caller, ban);
    await step();
    for (const subject of [...callers, 'key_anna']) expect(await historyOf(subject)).toEqual([]);
  });

  it('save a hundred at a time, and all that wait when the server stops', async () => {
    for (let one = 0; one < 250; one++) bans.note(ZOO, ban);
    await step();
    expect(await historyOf('key_anna')).toHaveLength(100);
    expect(timers.restsMs).toEqual([200]);
    await bans.beforeApplicationShutdown();
    expect(await historyOf('key_anna')).toHaveLength(250);
  });

  it('have what could not be saved wait, each saved once', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    jest.spyOn(temporary.database.background, 'run').mockRejectedValueOnce(new Error('gone'));
    const sinceMs = (one: number) => NOON_MS + one * 60_000;
    for (let one = 0; one < 150; one++) bans.note(ZOO, { ...ban, sinceMs: sinceMs(one) });
    await step();
    expect(error).toHaveBeenCalledTimes(1);
    await bans.beforeApplicationShutdown();
    const saved = await historyOf('key_anna');
    expect(saved.map(({ atMs }) => atMs).sort()).toEqual(
      Array.from({ length: 150 }, (_, one) => sinceMs(one)),
    );
  });

  it('wait at most ten thousand', async () => {
    const run = jest.spyOn(temporary.database.background, 'run').mockResolvedValue(undefined);
    for (let one = 0; one < 10_001; one++) bans.note(ZOO, ban);
    await bans.beforeApplicationShutdown();
    // A hundred at a time.
    expect(run).toHaveBeenCalledTimes(100);
  });
});
