import { defineScope } from '@animal-store/api-keys';
import { Scopes } from '@animal-store/api-keys/issuing';
import { DAY_MS } from '@animal-store/kernel';
import { ARRIVED, BROKEN, GONE, REFUSED, responded, SILENT } from '../testing/fake-receivers.js';
import { aDelivery, anEvent } from '../testing/webhook.builder.js';
import {
  attempted,
  type Delivery,
  isOverdue,
  isRefused,
  kindOf,
  type Outcome,
  pauseMs,
  RANKS,
  requested,
  retried,
} from './delivery.js';
import { EventTypes, EVERYBODY, newEvent } from './event.js';
import { EventNotFound } from './webhook.errors.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const HOUR_MS = 3_600_000;
const PAUSING = responded(429, 60_000);
const TEST = anEvent({ type: 'webhook.test' });

describe('A delivery', () => {
  it('has arrived with a success', () => {
    expect(attempted(aDelivery(), ARRIVED, NOON + 7)).toMatchObject({
      status: 'delivered',
      attempts: 1,
      nextAttemptAtMs: null,
      responseStatus: 204,
      problem: null,
      endedAtMs: NOON + 7,
    });
  });

  it('is attempted ten times within three days, and has failed then', () => {
    let delivery = aDelivery();
    const waits: number[] = [];
    for (let atMs = NOON; delivery.status === 'pending'; atMs = delivery.nextAttemptAtMs!) {
      delivery = attempted(delivery, BROKEN, atMs);
      if (delivery.nextAttemptAtMs !== null) waits.push((delivery.nextAttemptAtMs - atMs) / 1_000);
    }

    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 72_000]);
    expect(delivery).toMatchObject({ status: 'failed', attempts: 10, problem: 'The response was 500.' });
    expect(delivery.endedAtMs! - NOON).toBeLessThan(3 * DAY_MS);
  });

  it.each<[string, Partial<Delivery>, Outcome, boolean, number]>([
    ['three days after it began', { attempts: 6 }, SILENT, false, 3 * DAY_MS - 14 * HOUR_MS],
    ['a day, for a new webhook', { attempts: 2, event: TEST }, REFUSED, true, DAY_MS - HOUR_MS / 2],
    ['a day, for a test in a pause', { event: TEST }, PAUSING, false, DAY_MS - 60_000],
  ])('is not attempted later than %s, however late the attempts are', (_, facts, outcome, isNew, ageMs) => {
    const aged = (ms: number) =>
      attempted(aDelivery({ ...facts, startedAtMs: NOON - ms }), outcome, NOON, isNew);

    expect(aged(ageMs).status).toBe('pending');
    expect(aged(ageMs + 1)).toMatchObject({ status: 'failed', endedAtMs: NOON });
  });

  it('waits for as long as its receiver pauses without an attempt that counts: that has a backlog', () => {
    const old = aDelivery({ startedAtMs: NOON - 4 * DAY_MS });
    expect(attempted(old, PAUSING, NOON)).toMatchObject({ status: 'pending' });
    expect(attempted({ ...old, attempts: 1 }, PAUSING, NOON)).toMatchObject({ status: 'failed' });
  });

  it.each<[string, Delivery, Outcome, true | undefined]>([
    ['a test', aDelivery({ event: TEST }), SILENT, undefined],
    ['one to a receiver that responds 410', aDelivery(), GONE, undefined],
    ['a test of a new webhook whose day has passed', aDelivery({ event: TEST, attempts: 6 }), SILENT, true],
  ])('has failed for good: %s', (_, delivery, outcome, isNew) => {
    expect(attempted(delivery, outcome, NOON, isNew)).toMatchObject({
      status: 'failed',
      nextAttemptAtMs: null,
    });
  });

  it.each([429, 502, 503, 504])(
    'has as many attempts after a pause that the receiver requests: %s',
    (status) => {
      expect(attempted(aDelivery({ attempts: 3 }), responded(status, 60_000), NOON)).toMatchObject({
        status: 'pending',
        attempts: 3,
        nextAttemptAtMs: NOON + 60_000,
        responseStatus: status,
      });
      expect(attempted(aDelivery(), responded(status), NOON)).toMatchObject({ attempts: 1 });
    },
  );

  it('is after what is requested once it was attempted', () => {
    expect(attempted(aDelivery({ rank: RANKS.requested }), BROKEN, NOON).rank).toBe(RANKS.own);
    expect(attempted(aDelivery({ rank: RANKS.everybodys }), BROKEN, NOON).rank).toBe(RANKS.everybodys);
  });

  it('begins with a request, or again with a retry, before all others', () => {
    const begun = requested(1n, NOON + 7);
    expect(begun).toMatchObject({ webhookId: 1n, attempts: 0, responseStatus: null, problem: null });
    const failed = aDelivery({ status: 'failed', attempts: 10, nextAttemptAtMs: null, endedAtMs: NOON });
    expect(retried(failed, NOON + 7)).toEqual({
      ...failed,
      rank: RANKS.requested,
      status: 'pending',
      attempts: 0,
      nextAttemptAtMs: NOON + 7,
      startedAtMs: NOON + 7,
      endedAtMs: null,
    });
  });

  it('shows that its receiver is too slow when there was no attempt for three days', () => {
    const atMs = NOON + 3 * DAY_MS;
    expect(isOverdue(aDelivery(), atMs)).toBe(false);
    expect(isOverdue(aDelivery(), atMs + 1)).toBe(true);
    expect(isOverdue(aDelivery({ attempts: 1 }), atMs + 1)).toBe(false);
  });
});

describe('A receiver', () => {
  it.each<[ReturnType<typeof kindOf>, Outcome]>([
    ['delivered', ARRIVED],
    ['no_response', SILENT],
    ['paused', PAUSING],
    ['refused', REFUSED],
    ['error', BROKEN],
  ])('that is counted as %s', (kind, outcome) => expect(kindOf(outcome)).toBe(kind));

  it.each([
    [429, 60_000, 60_000],
    [503, 0, 1_000],
    [502, 7 * HOUR_MS, HOUR_MS],
    [504, null, null],
    [500, 60_000, null],
    [404, 60_000, null],
  ])(
    'that responds with %s and Retry-After of %s ms pauses its deliveries for %s ms',
    (status, after, expected) => {
      expect(pauseMs(responded(status, after))).toBe(expected);
    },
  );

  it('refuses a request with a 4xx that would be the same the next time', () => {
    const refusing = [400, 401, 403, 404, 405, 410, 413, 422, 451];
    for (const status of refusing) expect([status, isRefused(responded(status))]).toEqual([status, true]);
    for (const status of [302, 408, 409, 425, 429, 500, 503])
      expect([status, isRefused(responded(status))]).toEqual([status, false]);
    expect(isRefused(SILENT)).toBe(false);
  });
});

describe('An event', () => {
  const sold = { name: 'animal.sold', version: 2, scope: 'animals:read', dataOf: () => ({}) };
  const ended = { ...sold, name: 'order.ended', scope: 'orders:read', accountOf: () => 'zoo' };
  const scopes = ['animals:read', 'orders:read'].map((name) => defineScope(name, { explicit: true }));
  const types = new EventTypes([sold, ended], new Scopes(scopes));

  it('is sent with its type, version and time, and has an id of its own', () => {
    const [event, other] = [1, 2].map(() => newEvent(sold, 'zoo', '{"id":7}', NOON));

    expect(event).toMatchObject({
      type: 'animal.sold',
      audience: 'zoo',
      createdAtMs: NOON,
      fannedOutUpTo: 0n,
    });
    expect(JSON.parse(event!.body)).toEqual({
      type: 'animal.sold',
      version: 2,
      timestamp: '2026-03-14T12:00:00.000Z',
      data: { id: 7 },
    });
    expect(event!.eventId).toMatch(/^evt_[0-9a-f-]{36}$/);
    expect(event!.eventId).not.toBe(other!.eventId);
  });

  it('needs its scope, which must be there, and none when there is no such event any more', () => {
    const names = ['animal.sold', 'order.ended', 'animal.lent'];
    expect(types.missingScopes(names, ['orders:read'])).toEqual(['animals:read']);
    expect(types.missingScopes(names, null)).toEqual(['animals:read', 'orders:read']);
    expect(() => new EventTypes([{ ...sold, scope: 'animals' }], new Scopes(scopes))).toThrow(
      'animal.sold: There is no scope animals',
    );
  });

  it("is everybody's unless it has an account", () => {
    const audiences = ['animal.sold', 'order.ended', 'animal.lent'].map((name) =>
      types.audienceFor(name, 'zoo'),
    );
    expect(audiences).toEqual([EVERYBODY, 'zoo', EVERYBODY]);
  });

  it.each([100, 101])(
    'that is not found is named by its id, of which %s characters may be too many',
    (length) => {
      const shown = length > 100 ? `${'x'.repeat(100)}…` : 'x'.repeat(length);
      expect(new EventNotFound('x'.repeat(length)).message).toBe(`No event of this account has id ${shown}.`);
    },
  );
});
