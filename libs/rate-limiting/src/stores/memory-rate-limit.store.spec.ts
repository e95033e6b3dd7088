import { DAY_MS as DAY } from '@animal-store/kernel';
import type { RateSubject } from '../rate-subject.js';
import {
  address,
  free,
  HOUR,
  MIDNIGHT,
  MINUTE,
  NOON,
  planOf,
  UNTIL_BANNED,
  usageOf,
} from '../testing/callers.js';
import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { traffic } from '../testing/traffic.js';
import type { RateLimitDecision } from '../rate-limit-decision.js';
import { counted, type RatePlan } from '../rate-plan.js';
import { Counter, Penalty } from './counter.js';
import { type CounterRow, MemoryRateLimitStore } from './memory-rate-limit.store.js';

describeRateLimitStore(
  'MemoryRateLimitStore',
  (bans, monotonicMs) => new MemoryRateLimitStore({ bans, monotonicMs }),
  { traffic, runs: 100 },
);

describe('MemoryRateLimitStore', () => {
  const key: RateSubject = { id: 'key-7', plan: free };
  const visitor: RateSubject = { id: '203.0.113.7', plan: address, isAddress: true };
  let store: MemoryRateLimitStore;

  beforeEach(() => (store = new MemoryRateLimitStore()));

  /** The last of so many decisions. */
  function consume(subject: RateSubject = key, nowMs = NOON, times = 1): RateLimitDecision {
    for (let before = 1; before < times; before++) store.consume(subject, nowMs);
    return store.consume(subject, nowMs);
  }

  const today = (count: number) => ({ key: 'day', endMs: MIDNIGHT, count });
  const row: CounterRow = {
    subject: 'key-7',
    caller: 'key-7',
    isAddress: false,
    windows: [today(990)],
    banUntilMs: 0,
    banMs: 0,
    banRefusals: 0,
  };

  const visitorOf = (number: number): RateSubject => ({ ...visitor, id: `2001:db8:0:${number}::/64` });

  /** One request of each of so many visitors. */
  function visit(count: number, from = 0): void {
    for (let number = from; number < from + count; number++) consume(visitorOf(number));
  }

  /** Sends a request every quarter of a second, because the store checks its counters only during requests. */
  function passTime(fromMs: number, toMs: number): void {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 250)
      consume({ id: 'caller', plan: planOf(1_000, null) }, nowMs);
  }

  describe('finds the counter of a subject object that is passed again', () => {
    const reused = () => ({ ...key, counter: null });

    it('even when the counter was dropped meanwhile', () => {
      const subject = { ...visitor, counter: null };
      consume(subject);
      passTime(NOON, NOON + 3 * MINUTE - 1);
      expect(store.size).toBe(1);
      expect(subject.counter).toBeNull();

      consume(subject, NOON + 3 * MINUTE);
      expect(store.usage(visitor.id, NOON + 3 * MINUTE)).toMatchObject({ windows: [{ used: 1 }] });
    });

    it('and not the counter of another store', () => {
      const subject = reused();
      new MemoryRateLimitStore().consume(subject, NOON);

      expect(consume(subject)).toMatchObject({ remaining: 59 });
      expect(store.usage('key-7', NOON)).toMatchObject({ windows: [{ used: 1 }, { used: 1 }] });
    });
  });

  describe('drops idle counters', () => {
    it('within about a minute after the end of their windows', () => {
      visit(10_000);
      passTime(NOON, NOON + MINUTE - 1);
      expect(store.size).toBe(10_001);
      passTime(NOON + MINUTE, NOON + 3 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('a few at a time', () => {
      visit(24_000);
      passTime(NOON + MINUTE, NOON + MINUTE);
      const afterAPause = store.size;
      passTime(NOON + MINUTE + 250, NOON + MINUTE + 250);
      expect(afterAPause).toBe(19_001);
      expect(afterAPause - store.size).toBeLessThanOrEqual(101);
    });

    it('but not while their day lasts', () => {
      consume(key, MIDNIGHT - 10 * MINUTE);
      passTime(MIDNIGHT - 8 * MINUTE, MIDNIGHT - 1);
      expect(store.size).toBe(2);
      passTime(MIDNIGHT, MIDNIGHT + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('but not while their ban is remembered', () => {
      consume(visitor, NOON, UNTIL_BANNED);
      passTime(NOON + DAY - 2 * MINUTE, NOON + DAY - 1);
      expect(store.size).toBe(2);
      passTime(NOON + DAY, NOON + DAY + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('but not before their last change was drained to be saved', () => {
      consume(key, NOON, UNTIL_BANNED);
      store.trackChanges();
      store.liftBan('key-7', NOON);
      passTime(NOON + 2 * DAY, NOON + 2 * DAY + 2 * MINUTE);
      expect(store.size).toBe(2);
      expect(store.drainChanges(10)).toMatchObject([{ subject: 'key-7', banUntilMs: 0 }]);
      passTime(NOON + 3 * DAY, NOON + 3 * DAY + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('even after the clock stepped back by years', () => {
      let passedMs = 0;
      store = new MemoryRateLimitStore({ monotonicMs: () => passedMs });
      consume(key, NOON + 3_650 * DAY);
      for (; passedMs < 2 * DAY; passedMs += 30_000) consume({ ...key, id: 'key-8' }, NOON + passedMs);
      expect(store.size).toBe(1);
    });
  });

  describe('with more addresses than it counts separately', () => {
    const MAX = 100;
    /** A saved ban. */
    const saved = (subject: string, isAddress: boolean, banUntilMs = NOON + MINUTE): CounterRow => ({
      ...row,
      ...{ subject, caller: subject, isAddress, windows: [], banUntilMs, banMs: MINUTE },
    });

    beforeEach(() => (store = new MemoryRateLimitStore({ maxAddresses: MAX })));

    it('counts the further addresses together, and never bans them', () => {
      visit(MAX);
      for (let number = 0; number < 60; number++) expect(consume(visitorOf(MAX + number)).allowed).toBe(true);
      expect(consume(visitorOf(1_000), NOON, 200)).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(store.size).toBe(MAX);
      expect(store.peek({ ...visitor, id: 'another' }, NOON).allowed).toBe(false);
      expect(consume(visitorOf(0)).allowed).toBe(true);
      expect(consume(visitorOf(1_001), NOON + MINUTE).allowed).toBe(true);
    });

    it('counts every key separately', () => {
      visit(MAX);
      expect(consume(key)).toMatchObject({ remaining: 59 });
      expect(store.size).toBe(MAX + 1);
    });

    it('resets no exhausted window and ends no ban, however many new addresses come', () => {
      consume(visitorOf(0), NOON, UNTIL_BANNED);
      consume(visitorOf(0), NOON + MINUTE, UNTIL_BANNED);
      consume(visitorOf(1), NOON + MINUTE + 1, 60);
      for (let number = 2; number < 3 * MAX; number++) consume(visitorOf(number), NOON + MINUTE + 2);
      expect(consume(visitorOf(0), NOON + 2 * MINUTE).code).toBe('api_key_banned');
      expect(consume(visitorOf(1), NOON + 2 * MINUTE).code).toBe('rate_limit_exceeded');
    });

    it('makes room for new addresses by dropping bans that have ended', () => {
      for (let number = 0; number < MAX; number++) consume(visitorOf(number), NOON, UNTIL_BANNED);
      for (let number = 0; number < MAX; number++)
        expect(consume(visitorOf(MAX + number), NOON + 2 * MINUTE, 60).allowed).toBe(true);
      expect(store.size).toBe(MAX);
    });

    it('saves no ban of a further address, because its row would stay for a day', () => {
      store.trackChanges();
      consume(visitorOf(0), NOON, UNTIL_BANNED);
      visit(MAX - 1, 1);
      consume(visitorOf(1), NOON, UNTIL_BANNED);
      expect(store.drainChanges(MAX).map(({ subject }) => subject)).toEqual(['2001:db8:0:0::/64']);
    });

    it('restores at most that many bans, and every count', () => {
      const bans = Array.from({ length: 2 * MAX }, (_, number) => saved(`192.0.2.${number}`, true));
      store.restore([...bans, { ...saved('key-7', false), windows: [today(5)] }], NOON);
      expect(store.size).toBe(MAX + 1);
      expect(store.usage('key-7', NOON)).toMatchObject({ windows: [{ used: 5 }] });
    });

    it('restores the ban of a key that was not counted yet today, among as many addresses as there may be', () => {
      visit(MAX);
      store.restore([saved('key-7', false)], NOON);
      expect(consume(key).code).toBe('api_key_banned');
    });

    it('drops no restored ban of a key for a new address', () => {
      store.restore([saved('key-7', false, NOON - MINUTE)], NOON);
      visit(MAX);
      expect(store.size).toBe(MAX + 1);
    });

    it('adopts the refusals of another store', () => {
      for (let number = 0; number < MAX + 60; number++)
        store.adopt(visitorOf(number), seen(address, [NOON + MINUTE, 1]), null, NOON, 1);
      expect(store.size).toBe(MAX);
      expect(store.peek({ ...visitor, id: 'another' }, NOON).allowed).toBe(false);
    });
  });

  describe('returns changes', () => {
    beforeEach(() => store.trackChanges());

    it('once, with the count of the day', () => {
      consume(key, NOON, 2);
      expect(store.drainChanges(10)).toEqual([{ ...row, windows: [today(2)] }]);
      expect(store.drainChanges(10)).toEqual([]);
      consume(key);
      expect(store.drainChanges(10)).toMatchObject([{ windows: [{ count: 3 }] }]);
    });

    it('for the ban of each caller of a subject, and for the lift of one', () => {
      const till: RateSubject = { ...key, plan: address, caller: 'till' };
      consume(till, NOON, UNTIL_BANNED);
      const ban = {
        ...row,
        caller: 'till',
        windows: [],
        banUntilMs: NOON + MINUTE,
        banMs: MINUTE,
        banRefusals: 30,
      };
      expect(store.drainChanges(10)).toEqual([ban]);
      const next = new MemoryRateLimitStore();
      next.restore([ban], NOON);
      expect(next.peek(till, NOON)).toMatchObject({ code: 'api_key_banned' });
      expect(next.peek(key, NOON)).toMatchObject({ code: null });
      store.liftBan('key-7', NOON, 'till');
      expect(store.drainChanges(10)).toMatchObject([{ subject: 'key-7', caller: 'till', banUntilMs: 0 }]);
    });

    it('but none for minute windows and refused requests', () => {
      consume(visitor, NOON, 61);
      expect(store.drainChanges(10)).toEqual([]);
    });

    it('with the ends of windows by a clock that was set back', () => {
      consume();
      consume(key, NOON - HOUR);
      expect(store.drainChanges(10)).toMatchObject([
        { windows: [{ key: 'day', endMs: MIDNIGHT - HOUR, count: 2 }] },
      ]);
    });

    it('for a ban and for a lift of the ban', () => {
      consume(visitor, NOON, UNTIL_BANNED);
      const ban = { banUntilMs: NOON + MINUTE, banMs: MINUTE, banRefusals: 30 };
      const { id } = visitor;
      expect(store.drainChanges(10)).toEqual([
        { subject: id, caller: id, isAddress: true, windows: [], ...ban },
      ]);
      consume(visitor, NOON + 1);
      expect(store.drainChanges(10)).toEqual([]);
      store.liftBan(visitor.id, NOON);
      expect(store.drainChanges(10)).toMatchObject([{ banUntilMs: 0, banMs: 0 }]);
    });

    it('in batches, oldest change first', () => {
      for (const id of ['key-1', 'key-2', 'key-3']) consume({ ...key, id });
      expect(store.drainChanges(2).map(({ subject }) => subject)).toEqual(['key-1', 'key-2']);
      expect(store.drainChanges(2).map(({ subject }) => subject)).toEqual(['key-3']);
    });

    it('but none for what it restores, and for a lift of nothing', () => {
      store.restore([row], NOON);
      store.liftBan('key-7', NOON);
      expect(store.drainChanges(10)).toEqual([]);
    });
  });

  describe('restores', () => {
    it('the windows of a list that still run, and adds what was counted meanwhile', () => {
      const plan = [{ name: 'hour', limit: 10, seconds: 3_600, budget: 'search' }];
      const before = new MemoryRateLimitStore();
      before.trackChanges();
      for (const id of ['key-7', 'key-8']) before.consume({ id, plan }, NOON, 4);
      const rows = before.drainChanges(10);
      store.consume({ id: 'key-7', plan }, NOON + MINUTE, 3);
      store.restore(rows, NOON + MINUTE);
      expect(store.peek({ id: 'key-7', plan }, NOON + MINUTE)).toMatchObject({ remaining: 3 });
      expect(store.peek({ id: 'key-8', plan }, NOON + MINUTE)).toMatchObject({ remaining: 6 });
      expect(store.peek({ id: 'key-8', plan }, NOON + HOUR)).toMatchObject({ remaining: 10 });
    });

    it('the count of the day, so that a restart allows no more requests', () => {
      store.restore([row], NOON);
      expect(consume(key, NOON, 10)).toMatchObject({ allowed: true });
      expect(consume(key)).toMatchObject({ code: 'daily_quota_exceeded' });
    });

    it('a count by adding it to requests counted since the start', async () => {
      consume(key);
      store.restore([row], NOON);
      expect(await usageOf(store)).toMatchObject({ minute: 1, day: 991 });
    });

    it('a ban, and how long the next one will be', () => {
      store.restore([{ ...row, banUntilMs: NOON + MINUTE, banMs: MINUTE, banRefusals: 30 }], NOON);
      expect(store.usage('key-7', NOON)).toMatchObject({ ban: { sinceMs: NOON, refusals: 30 } });
      expect(consume(key)).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 60 });
      const next = consume({ ...key, plan: address }, NOON + MINUTE, UNTIL_BANNED);
      expect(next).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 120 });
    });

    it('the count of a later day for today too, as the clock was set back', () => {
      store.restore([{ ...row, windows: [{ ...today(1_000), endMs: MIDNIGHT + DAY }] }], MIDNIGHT - 1);
      for (const nowMs of [MIDNIGHT - 1, MIDNIGHT])
        expect(consume(key, nowMs)).toMatchObject({ code: 'daily_quota_exceeded' });
      expect(consume(key, MIDNIGHT + DAY)).toMatchObject({ allowed: true });
    });

    it('no expired days and bans', async () => {
      consume(key);
      store.restore([{ ...row, windows: [{ ...today(5), endMs: NOON }] }], NOON);
      expect(await usageOf(store)).toMatchObject({ day: 1 });
      store = new MemoryRateLimitStore();
      store.restore([{ ...row, banUntilMs: NOON, banMs: MINUTE }], NOON + 3 * DAY);
      expect(store.size).toBe(0);
    });
  });

  /** What another store has counted. */
  function seen(plan: RatePlan, counts: number[]): Counter {
    return Object.assign(new Counter('key-7'), { keys: counted(plan).keys, counts });
  }

  describe('adopts the state of another store', () => {
    const full = [NOON + MINUTE, 60, MIDNIGHT, 700];
    const ban = Object.assign(new Penalty(), { banUntilMs: NOON + MINUTE, banMs: MINUTE });

    it.each([
      ['counts', null, { code: 'rate_limit_exceeded', states: [0, 60, 300, 43_200] }],
      ['ban', ban, { code: 'api_key_banned' }],
    ])('with its %s', (_, banned, decision) => {
      store.adopt(key, seen(free, full), banned, NOON, 1);
      store.adopt(key, seen(free, full), new Penalty(), NOON, 1);
      expect(consume(key, NOON + 1)).toMatchObject(decision);
    });

    it.each([
      ['but never a smaller count of the same window', NOON, [NOON + MINUTE, 5, MIDNIGHT, 10], 60],
      ['with a larger count of the same window', NOON, [NOON + MINUTE, 62, MIDNIGHT, 700], 62],
      ['but never an earlier minute', NOON, [NOON + MINUTE - 1, 6, MIDNIGHT, 700], 60],
      ['with its next minute', NOON + MINUTE, [NOON + 2 * MINUTE, 1, MIDNIGHT, 700], 1],
    ])('%s', async (_, nowMs, counts, minute) => {
      store.adopt(key, seen(free, full), null, NOON, 1);
      store.adopt(key, seen(free, counts), null, nowMs, 1);
      expect(await usageOf(store, nowMs)).toMatchObject({ minute, day: 700 });
    });
  });
});
