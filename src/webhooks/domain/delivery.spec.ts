import { aDelivery } from '../testing/webhook.builder.js';
import { type Delivery, newDelivery, retried, tried } from './delivery.js';

const NOW = Date.UTC(2026, 2, 14, 12);
const REFUSED = { hasResponded: true, status: 500, problem: 'The response was 500.' };

describe('A delivery', () => {
  it('has a body of Standard Webhooks, with exact int64s', () => {
    const data = '{"id":9007199254740993,"name":"Rex"}';
    const delivery = newDelivery({ id: 'evt_1', event: 'animal.added', audience: '', atMs: NOW, data });

    expect(delivery.body).toBe(
      '{"type":"animal.added","timestamp":"2026-03-14T12:00:00.000Z","data":{"id":9007199254740993,"name":"Rex"}}',
    );
    expect(delivery).toMatchObject({ eventId: 'evt_1', status: 'pending', tries: 0, nextTryAtMs: NOW });
  });

  it('has arrived when the response was a success', () => {
    const arrived = tried(aDelivery(), { hasResponded: true, status: 204, problem: null }, NOW + 5);

    expect(arrived).toMatchObject({
      status: 'delivered',
      tries: 1,
      nextTryAtMs: null,
      responseStatus: 204,
      problem: null,
      endedAtMs: NOW + 5,
    });
  });

  it('is tried ten times in about three days, and has failed then', () => {
    const waits: number[] = [];
    let delivery: Delivery = aDelivery();
    for (let nowMs = NOW; delivery.status === 'pending'; nowMs = delivery.nextTryAtMs!) {
      delivery = tried(delivery, REFUSED, nowMs);
      if (delivery.nextTryAtMs !== null) waits.push((delivery.nextTryAtMs - nowMs) / 1_000);
      else expect((nowMs - NOW) / 3_600_000).toBeCloseTo(75.6, 1);
    }

    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400]);
    expect(delivery).toMatchObject({ status: 'failed', tries: 10, responseStatus: 500 });
    expect(delivery.problem).toBe('The response was 500.');
  });

  it('is tried once when it is a test', () => {
    expect(tried(aDelivery({ event: 'webhook.test' }), REFUSED, NOW)).toMatchObject({
      status: 'failed',
      tries: 1,
    });
  });

  it('begins again with ten tries when it is retried, and stays the same event', () => {
    const failed = aDelivery({ status: 'failed', tries: 10, nextTryAtMs: null, endedAtMs: NOW });

    expect(retried(failed, NOW + 7)).toEqual({
      ...failed,
      status: 'pending',
      tries: 0,
      nextTryAtMs: NOW + 7,
      beganAtMs: NOW + 7,
      endedAtMs: null,
    });
  });
});
