import { DAY_MS } from '@animal-store/kernel';
import { ARRIVED, BROKEN, GONE, REFUSED, responded, SILENT } from '../testing/fake-receivers.js';
import { aDelivery, anEvent } from '../testing/webhook.builder.js';
import {
  attempted,
  type Delivery,
  isOverdue,
  isRefused,
  type Outcome,
  pauseMs,
  RANKS,
  retried,
} from './delivery.js';

const NOON = Date.UTC(2026, 2, 14, 12);
const HOUR_MS = 3_600_000;
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

  it('is not attempted later than three days after it began, however late the attempts are', () => {
    const late = aDelivery({ attempts: 6, startedAtMs: NOON - 3 * DAY_MS + 14 * HOUR_MS - 1 });

    expect(attempted(late, SILENT, NOON)).toMatchObject({ status: 'failed', endedAtMs: NOON });
  });

  it.each<[string, Delivery, Outcome, boolean]>([
    ['a test', aDelivery({ event: TEST }), SILENT, false],
    ['one to a receiver that responds 410', aDelivery(), GONE, false],
    ['a test of a new webhook whose day has passed', aDelivery({ event: TEST, attempts: 6 }), SILENT, true],
  ])('has failed for good: %s', (_, delivery, outcome, isNew) => {
    expect(attempted(delivery, outcome, NOON, isNew)).toMatchObject({
      status: 'failed',
      nextAttemptAtMs: null,
    });
  });

  it('is attempted again when it is the test of a new webhook, for a day', () => {
    let test = aDelivery({ event: TEST });
    let atMs = NOON;
    for (; test.status === 'pending'; atMs = test.nextAttemptAtMs ?? atMs)
      test = attempted(test, REFUSED, atMs, true);

    expect(test.attempts).toBe(7);
    expect(atMs - NOON).toBeLessThan(DAY_MS);
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

  it('begins again with a retry, before all others', () => {
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
