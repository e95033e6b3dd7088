import { describeRateLimitStore } from '../testing/rate-limit-store.contract.js';
import { traffic } from '../testing/traffic.js';
import { Counter, Penalty } from './plan-window.js';
import { MemoryRateLimitStore } from './memory-rate-limit.store.js';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 86_400_000;
const NOON = Date.UTC(2030, 2, 1, 12);
const MIDNIGHT = Date.UTC(2030, 2, 2);
const MARCH_FIRST = NOON / DAY - 0.5;

const free = { perMinute: 60, perDay: 1_000 };
const address = { perMinute: 60, perDay: null };

// This store drops counters, so it forgets a day that the clock steps back to. The tests of the pure function have such traffic.
describeRateLimitStore(
  'MemoryRateLimitStore',
  (bans, monotonicMs) => new MemoryRateLimitStore({ bans, monotonicMs }),
  {
    traffic,
    runs: 100,
  },
);

/** What another store has counted at noon. */
function seen(counts: Partial<Counter>): Counter {
  return Object.assign(new Counter('key-7'), { minuteStartMs: NOON, day: MARCH_FIRST, ...counts });
}

describe('MemoryRateLimitStore', () => {
  function bannedStore(): MemoryRateLimitStore {
    const store = new MemoryRateLimitStore();
    for (let i = 0; i < 60 + 30; i++) store.consume({ id: 'key-7', plan: free }, NOON);
    return store;
  }

  /** Sends a request every quarter of a second, because the store checks its counters only during requests. */
  function passTime(store: MemoryRateLimitStore, fromMs: number, toMs: number): void {
    for (let nowMs = fromMs; nowMs <= toMs; nowMs += 250)
      store.consume({ id: 'visitor', plan: { perMinute: 1_000, perDay: null } }, nowMs);
  }

  it('decides synchronously', () => {
    expect(new MemoryRateLimitStore().consume({ id: 'key-7', plan: free }, NOON).allowed).toBe(true);
  });

  describe('finds the counter of a subject object that is passed again', () => {
    it('even when the counter was dropped meanwhile', () => {
      const store = new MemoryRateLimitStore();
      const subject = { id: '203.0.113.7', plan: address, counter: null };
      store.consume(subject, NOON);
      passTime(store, NOON, NOON + 3 * MINUTE - 1);
      expect(store.size).toBe(1);
      expect(subject.counter).toBeNull();

      store.consume(subject, NOON + 3 * MINUTE);

      expect(store.usage('203.0.113.7', NOON + 3 * MINUTE)).toMatchObject({ minute: { used: 1 } });
    });

    it('and not the counter of another store', () => {
      const subject = { id: 'key-7', plan: free, counter: null };
      new MemoryRateLimitStore().consume(subject, NOON);
      const store = new MemoryRateLimitStore();

      expect(store.consume(subject, NOON)).toMatchObject({ minuteRemaining: 59 });
      expect(store.usage('key-7', NOON)).toMatchObject({ minute: { used: 1 } });
    });

    it('and the same counter for an equal object', () => {
      const store = new MemoryRateLimitStore();
      const subject = { id: 'key-7', plan: free, counter: null };
      store.consume(subject, NOON);
      store.consume({ id: 'key-7', plan: free }, NOON);

      expect(store.consume(subject, NOON)).toMatchObject({ minuteRemaining: 57 });
    });

    it('and ignores a subject that has no counter', () => {
      const subject = { id: 'key-7', plan: free };
      new MemoryRateLimitStore().consume(subject, NOON);

      expect(subject).not.toHaveProperty('counter');
    });
  });

  describe('drops idle counters', () => {
    it('within about a minute after the end of their windows', () => {
      const store = new MemoryRateLimitStore();
      for (let i = 0; i < 10_000; i++) store.consume({ id: `203.0.113.${i}`, plan: address }, NOON);
      passTime(store, NOON, NOON + MINUTE - 1);
      expect(store.size).toBe(10_001);
      passTime(store, NOON + MINUTE, NOON + 3 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('a few at a time', () => {
      const store = new MemoryRateLimitStore();
      for (let i = 0; i < 24_000; i++) store.consume({ id: `203.0.113.${i}`, plan: address }, NOON);
      passTime(store, NOON + MINUTE, NOON + MINUTE);
      const afterAPause = store.size;
      passTime(store, NOON + MINUTE + 250, NOON + MINUTE + 250);
      expect(afterAPause).toBe(19_001);
      expect(afterAPause - store.size).toBeLessThanOrEqual(101);
    });

    it('at the same speed when fewer are left', () => {
      const store = new MemoryRateLimitStore();
      for (let i = 0; i < 60_000; i++) store.consume({ id: `203.0.113.${i}`, plan: address }, NOON);
      passTime(store, NOON + MINUTE, NOON + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('but not while their day lasts, nor for an hour after it', () => {
      const store = new MemoryRateLimitStore();
      store.consume({ id: 'key-7', plan: free }, MIDNIGHT - 1);
      passTime(store, MIDNIGHT, MIDNIGHT + 10 * MINUTE);
      expect(store.size).toBe(2);
      passTime(store, MIDNIGHT + HOUR, MIDNIGHT + HOUR + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('but not while their ban is remembered', () => {
      const store = new MemoryRateLimitStore();
      for (let i = 0; i < 60 + 30; i++) store.consume({ id: '203.0.113.7', plan: address }, NOON);
      passTime(store, NOON + DAY - 2 * MINUTE, NOON + DAY - 1);
      expect(store.size).toBe(2);
      passTime(store, NOON + DAY, NOON + DAY + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('but not before their last change was taken to be saved', () => {
      const store = bannedStore();
      store.trackChanges();
      store.liftBan('key-7', NOON);
      passTime(store, NOON + 2 * DAY, NOON + 2 * DAY + 2 * MINUTE);
      expect(store.size).toBe(2);
      expect(store.takeChanges(10)).toMatchObject([{ subject: 'key-7', banUntilMs: 0 }]);
      passTime(store, NOON + 3 * DAY, NOON + 3 * DAY + 2 * MINUTE);
      expect(store.size).toBe(1);
    });

    it('even after the clock stepped back by years', () => {
      let passedMs = 0;
      const store = new MemoryRateLimitStore({ monotonicMs: () => passedMs });
      store.consume({ id: 'key-7', plan: free }, NOON + 3_650 * DAY);
      for (; passedMs < 2 * DAY; passedMs += 30_000)
        store.consume({ id: 'key-8', plan: free }, NOON + passedMs);
      expect(store.size).toBe(1);
    });
  });

  describe('with more addresses than it counts separately', () => {
    const MOST = 100;
    let store: MemoryRateLimitStore;

    beforeEach(() => (store = new MemoryRateLimitStore({ maxAddresses: MOST })));

    function ask(number: number, nowMs: number, times = 1) {
      const subject = { id: `2001:db8:0:${number}::/64`, plan: address, isAddress: true };
      let decision = store.consume(subject, nowMs);
      for (let i = 1; i < times; i++) decision = store.consume(subject, nowMs);
      return decision;
    }

    it('counts the further addresses together, and never bans them', () => {
      for (let number = 0; number < MOST; number++) ask(number, NOON);
      for (let number = 0; number < 60; number++) expect(ask(MOST + number, NOON).allowed).toBe(true);
      expect(ask(1_000, NOON, 200)).toMatchObject({ allowed: false, code: 'rate_limit_exceeded' });
      expect(store.size).toBe(MOST);
      expect(store.peek({ id: 'another', plan: address, isAddress: true }, NOON).allowed).toBe(false);
      expect(ask(0, NOON).allowed).toBe(true);
      expect(ask(1_001, NOON + MINUTE).allowed).toBe(true);
    });

    it('counts every key separately', () => {
      for (let number = 0; number < MOST; number++) ask(number, NOON);
      expect(store.consume({ id: 'key-7', plan: free }, NOON)).toMatchObject({ minuteRemaining: 59 });
      expect(store.size).toBe(MOST + 1);
    });

    it('resets no exhausted window and ends no ban, however many new addresses come', () => {
      ask(0, NOON, 60 + 30);
      ask(0, NOON + MINUTE, 60 + 30);
      ask(1, NOON + MINUTE + 1, 60);
      for (let number = 2; number < 3 * MOST; number++) ask(number, NOON + MINUTE + 2);
      expect(ask(0, NOON + 2 * MINUTE).code).toBe('api_key_banned');
      expect(ask(1, NOON + 2 * MINUTE).code).toBe('rate_limit_exceeded');
    });

    it('makes room for new addresses by dropping bans that have ended', () => {
      for (let number = 0; number < MOST; number++) ask(number, NOON, 60 + 30);
      for (let number = 0; number < MOST; number++)
        expect(ask(MOST + number, NOON + 2 * MINUTE, 61).code).toBe('rate_limit_exceeded');
      expect(store.size).toBe(MOST);
    });

    it('saves no ban of a further address, because its row would stay for a day', () => {
      store.trackChanges();
      ask(0, NOON, 60 + 30);
      for (let number = 1; number < MOST; number++) ask(number, NOON);
      ask(1, NOON, 60 + 30);
      expect(store.takeChanges(MOST).map(({ subject }) => subject)).toEqual(['2001:db8:0:0::/64']);
    });

    it('restores at most that many bans, and every count', () => {
      const ban = { day: MARCH_FIRST, dayCount: 0, banUntilMs: NOON + MINUTE, banMs: MINUTE };
      const bans = Array.from({ length: 2 * MOST }, (_, number) => ({
        ...ban,
        subject: `192.0.2.${number}`,
        isAddress: true,
      }));
      store.restore([...bans, { ...ban, subject: 'key-7', dayCount: 5 }], NOON);
      expect(store.size).toBe(MOST + 1);
      expect(store.usage('key-7', NOON)).toMatchObject({ day: { used: 5 } });
    });

    it('restores the ban of a key that was not counted yet today, among as many addresses as there may be', () => {
      for (let number = 0; number < MOST; number++) ask(number, NOON);
      const ban = { day: MARCH_FIRST, dayCount: 0, banUntilMs: NOON + MINUTE, banMs: MINUTE };
      store.restore([{ ...ban, subject: 'key-7', isAddress: false }], NOON);
      expect(store.consume({ id: 'key-7', plan: free }, NOON).code).toBe('api_key_banned');
    });

    it('drops no restored ban of a key for a new address', () => {
      const ban = { day: MARCH_FIRST, dayCount: 0, banUntilMs: NOON - MINUTE, banMs: MINUTE };
      store.restore([{ ...ban, subject: 'key-7', isAddress: false }], NOON);
      for (let number = 0; number < MOST; number++) ask(number, NOON);
      expect(store.size).toBe(MOST + 1);
    });

    it('adopts the refusals of another store', () => {
      for (let number = 0; number < MOST + 60; number++) {
        const subject = { id: `192.0.2.${number}`, plan: address, isAddress: true };
        store.adopt(subject, seen({ minuteCount: 1 }), NOON, 1);
      }
      expect(store.size).toBe(MOST);
      expect(store.peek({ id: '198.51.100.7', plan: address, isAddress: true }, NOON).allowed).toBe(false);
    });
  });

  describe('returns changes', () => {
    it('once, with the count of the day', () => {
      const store = new MemoryRateLimitStore();
      store.trackChanges();
      store.consume({ id: 'key-7', plan: free }, NOON);
      store.consume({ id: 'key-7', plan: free }, NOON);
      expect(store.takeChanges(10)).toEqual([
        { subject: 'key-7', isAddress: false, day: MARCH_FIRST, dayCount: 2, banUntilMs: 0, banMs: 0 },
      ]);
      expect(store.takeChanges(10)).toEqual([]);
      store.consume({ id: 'key-7', plan: free }, NOON);
      expect(store.takeChanges(10)).toMatchObject([{ dayCount: 3 }]);
    });

    it('but none for minute windows and refused requests', () => {
      const store = new MemoryRateLimitStore();
      store.trackChanges();
      for (let i = 0; i < 61; i++) store.consume({ id: '203.0.113.7', plan: address }, NOON);
      expect(store.takeChanges(10)).toEqual([]);
    });

    it('for a ban and for a lift of the ban', () => {
      const store = new MemoryRateLimitStore();
      const caller = { id: '203.0.113.7', plan: address, isAddress: true };
      store.trackChanges();
      for (let i = 0; i < 60 + 30; i++) store.consume(caller, NOON);
      const ban = { banUntilMs: NOON + MINUTE, banMs: MINUTE };
      expect(store.takeChanges(10)).toEqual([
        { subject: '203.0.113.7', isAddress: true, day: MARCH_FIRST, dayCount: 0, ...ban },
      ]);
      store.consume(caller, NOON + 1);
      expect(store.takeChanges(10)).toEqual([]);
      store.liftBan('203.0.113.7', NOON);
      expect(store.takeChanges(10)).toMatchObject([{ banUntilMs: 0, banMs: 0 }]);
    });

    it('in batches, oldest change first', () => {
      const store = new MemoryRateLimitStore();
      store.trackChanges();
      for (const subject of ['key-1', 'key-2', 'key-3']) store.consume({ id: subject, plan: free }, NOON);
      expect(store.takeChanges(2).map(({ subject }) => subject)).toEqual(['key-1', 'key-2']);
      expect(store.takeChanges(2).map(({ subject }) => subject)).toEqual(['key-3']);
    });
  });

  describe('restores', () => {
    const row = { subject: 'key-7', day: MARCH_FIRST, dayCount: 990, banUntilMs: 0, banMs: 0 };

    it('the count of the day, so that a restart allows no more requests', () => {
      const store = new MemoryRateLimitStore();
      store.restore([row], NOON);
      let allowed = 0;
      for (let i = 0; i < 25; i++) if (store.consume({ id: 'key-7', plan: free }, NOON).allowed) allowed++;
      expect(allowed).toBe(10);
    });

    it('a count by adding it to requests counted since the start', () => {
      const store = new MemoryRateLimitStore();
      store.consume({ id: 'key-7', plan: free }, NOON);
      store.restore([row], NOON);
      expect(store.usage('key-7', NOON)).toMatchObject({ minute: { used: 1 }, day: { used: 991 } });
    });

    it('a ban, and how long the next one will be', () => {
      const store = new MemoryRateLimitStore();
      store.restore([{ ...row, banUntilMs: NOON + MINUTE, banMs: MINUTE }], NOON);
      expect(store.consume({ id: 'key-7', plan: free }, NOON)).toMatchObject({
        code: 'api_key_banned',
        retryAfterSeconds: 60,
      });
      let last = store.consume({ id: 'key-7', plan: address }, NOON + MINUTE);
      for (let i = 0; i < 59 + 30; i++) last = store.consume({ id: 'key-7', plan: address }, NOON + MINUTE);
      expect(last).toMatchObject({ code: 'api_key_banned', retryAfterSeconds: 120 });
    });

    it('the count of a later day for today too, as the clock was set back', () => {
      const store = new MemoryRateLimitStore();
      store.restore([{ ...row, day: MARCH_FIRST + 1, dayCount: 1_000 }], MIDNIGHT - 1);
      expect(store.consume({ id: 'key-7', plan: free }, MIDNIGHT - 1)).toMatchObject({
        code: 'daily_quota_exceeded',
      });
      expect(store.consume({ id: 'key-7', plan: free }, MIDNIGHT)).toMatchObject({
        code: 'daily_quota_exceeded',
      });
      expect(store.consume({ id: 'key-7', plan: free }, MIDNIGHT + DAY)).toMatchObject({ allowed: true });
    });

    it('no days and bans that are over', () => {
      const store = new MemoryRateLimitStore();
      store.restore([{ ...row, banUntilMs: NOON, banMs: MINUTE }], NOON + 3 * DAY);
      expect(store.size).toBe(0);
    });

    it('without recording a change', () => {
      const store = new MemoryRateLimitStore();
      store.trackChanges();
      store.restore([row], NOON);
      expect(store.takeChanges(10)).toEqual([]);
    });
  });

  describe('adopts the state of another store', () => {
    const subject = { id: 'key-7', plan: free };
    const full = { minuteCount: 60, dayCount: 700 };

    it('with its counts', () => {
      const store = new MemoryRateLimitStore();
      store.adopt(subject, seen(full), NOON, 1);
      expect(store.consume({ id: 'key-7', plan: free }, NOON + 1)).toMatchObject({
        code: 'rate_limit_exceeded',
        dayRemaining: 300,
      });
    });

    it('with its ban', () => {
      const store = new MemoryRateLimitStore();
      const penalty = Object.assign(new Penalty(), { banUntilMs: NOON + MINUTE, banMs: MINUTE });
      store.adopt(subject, seen({ ...full, penalty }), NOON, 1);
      expect(store.consume({ id: 'key-7', plan: free }, NOON + 1)).toMatchObject({ code: 'api_key_banned' });
    });

    it('but never a smaller count of the same window', () => {
      const store = new MemoryRateLimitStore();
      store.adopt(subject, seen(full), NOON, 1);
      store.adopt(subject, seen({ minuteCount: 5, dayCount: 10 }), NOON, 1);
      store.adopt(subject, seen({ ...full, minuteStartMs: NOON - 1, minuteCount: 6 }), NOON, 1);
      expect(store.usage('key-7', NOON)).toMatchObject({ minute: { used: 60 }, day: { used: 700 } });
    });

    it('with its next minute', () => {
      const store = new MemoryRateLimitStore();
      store.adopt(subject, seen(full), NOON, 1);
      const next = seen({ ...full, minuteStartMs: NOON + MINUTE, minuteCount: 1 });
      store.adopt(subject, next, NOON + MINUTE, 1);
      expect(store.usage('key-7', NOON + MINUTE)).toMatchObject({ minute: { used: 1 }, day: { used: 700 } });
    });
  });
});
