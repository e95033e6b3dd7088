import type { Operation } from '../../cluster/history.js';
import {
  type Delivered,
  doubledDeliveries,
  type Subscriber,
  webhookAnomalies,
  type WebhookHistory,
} from './check.js';

const WEBHOOK = 'the shop';
const SUBSCRIBER: Subscriber = {
  webhook: WEBHOOK,
  account: 'Ada',
  events: ['animal.added', 'animal.status_changed', 'order.placed', 'order.completed', 'order.cancelled'],
};

/** What has arrived at the shop, one after another: the events have the ids `1`, `2` and so on. */
function arrivals(...texts: string[]): Delivered[] {
  return texts.map((what, index) => arrival({ eventId: `${index + 1}`, what, fromMs: 10 * index }));
}

function arrival(facts: Partial<Delivered>): Delivered {
  const fromMs = facts.fromMs ?? 1_000;
  const usual = { webhook: WEBHOOK, eventId: '1', isSigned: true, toMs: fromMs + 5, hasArrived: true };
  return { ...usual, what: 'animal.added 1 Rex', fromMs, ...facts };
}

const RIGHT = arrivals(
  'animal.added 1 Rex',
  'order.placed 5 of 1',
  'animal.status_changed 1 pending',
  'order.cancelled 5 of 1',
  'animal.status_changed 1 available',
  'animal.status_changed 1 pending',
  'animal.status_changed 1 sold',
);
const times = { invokedMs: 1, returnedMs: 2, by: 'Ada' };

/** Ada has ordered an animal and cancelled that; then another account has bought it. */
function history(more: Partial<WebhookHistory> = {}): WebhookHistory {
  return {
    subscribers: [SUBSCRIBER],
    deliveries: RIGHT,
    operations: [{ ...times, kind: 'cancellation', account: 'Ada', orderId: 5 }],
    animals: [{ id: 1, name: 'Rex' }],
    orders: [
      { id: 5, petId: 1, status: 'cancelled', account: 'Ada' },
      { id: 6, petId: 1, status: 'completed', account: 'Grace' },
    ],
    ...more,
  };
}

const acknowledged = (operation: Operation): WebhookHistory => history({ operations: [operation] });

describe('The check of webhooks', () => {
  it('finds nothing in what is right, also when an event arrives again, or only the second time', () => {
    const again = [...RIGHT, arrival({ fromMs: 500 }), arrival({ fromMs: 600, hasArrived: false })];
    const [first, ...others] = RIGHT;

    expect(webhookAnomalies(history())).toEqual([]);
    expect(webhookAnomalies(history({ deliveries: again }))).toEqual([]);
    expect(doubledDeliveries(history({ deliveries: again }))).toBe(1);
    const refused = [{ ...first!, hasArrived: false }, ...others, arrival({ fromMs: 500 })];
    expect(webhookAnomalies(history({ deliveries: refused }))).toEqual([]);
    expect(doubledDeliveries(history({ deliveries: refused }))).toBe(0);
  });

  it('expects of each subscriber what it has subscribed to', () => {
    const subscribers = [{ ...SUBSCRIBER, events: ['animal.added'] }];

    expect(webhookAnomalies(history({ subscribers, deliveries: RIGHT.slice(0, 1) }))).toEqual([]);
    expect(webhookAnomalies(history({ subscribers }))).toContain(
      'the shop was notified of order.placed 5 of 1 as 1 events, and it may know of 0',
    );
  });

  it('expects nothing of a change whose outcome is unknown, but a notification when it is stored', () => {
    const operation = { ...times, returnedMs: Infinity, kind: 'cancellation', account: 'Ada' } as const;

    expect(webhookAnomalies(acknowledged({ ...operation, orderId: 7 }))).toEqual([]);
  });

  it.each<[string, WebhookHistory, string]>([
    [
      'an event that is lost',
      history({ deliveries: RIGHT.slice(1) }),
      'the shop was notified of animal.added 1 Rex 0 times, and it has happened 1 times',
    ],
    [
      'an event that only was refused',
      history({
        deliveries: RIGHT.map((one) => (one.eventId === '1' ? { ...one, hasArrived: false } : one)),
      }),
      'the shop was notified of animal.added 1 Rex 0 times, and it has happened 1 times',
    ],
    [
      'one of two equal events that is lost',
      history({ deliveries: RIGHT.filter(({ eventId }) => eventId !== '6') }),
      'the shop was notified of animal.status_changed 1 pending 1 times, and it has happened 2 times',
    ],
    [
      'an event of a rollback, even when it was refused',
      history({
        deliveries: [...RIGHT, arrival({ eventId: '8', what: 'order.placed 9 of 1', hasArrived: false })],
      }),
      'the shop was notified of order.placed 9 of 1 as 1 events, and it may know of 0',
    ],
    [
      'a change with two events',
      history({ deliveries: [...RIGHT, arrival({ eventId: '8' })] }),
      'the shop was notified of animal.added 1 Rex as 2 events, and it may know of 1',
    ],
    [
      'an order of another account',
      history({ deliveries: [...RIGHT, arrival({ eventId: '8', what: 'order.completed 6 of 1' })] }),
      'the shop was notified of order.completed 6 of 1 as 1 events, and it may know of 0',
    ],
    [
      'an id that two events share',
      history({ deliveries: [...RIGHT, arrival({ what: 'order.placed 5 of 1' })] }),
      'the shop was notified of animal.added 1 Rex and of order.placed 5 of 1 as 1',
    ],
    [
      'two requests at once',
      history({ deliveries: [...RIGHT, arrival({ fromMs: 1, toMs: 8 }), arrival({ fromMs: 7, toMs: 8 })] }),
      'the shop got two requests at once: animal.added 1 Rex from 1 to 8 ms, and animal.added 1 Rex from 7 to 8 ms',
    ],
    [
      'a signature that is wrong',
      history({ deliveries: [...RIGHT, arrival({ isSigned: false })] }),
      'the shop cannot verify animal.added 1 Rex',
    ],
    [
      'an animal that was acknowledged and is lost',
      acknowledged({ ...times, kind: 'addition', name: 'Tom', status: 'available', id: 2 }),
      'animal 2 was acknowledged, and is not stored',
    ],
    [
      'an order that was acknowledged and is lost',
      acknowledged({ ...times, kind: 'placement', account: 'Ada', petId: 1, orderId: 8 }),
      'order 8 was acknowledged, and is not stored',
    ],
    [
      'an end of an order that was acknowledged and is lost',
      acknowledged({ ...times, kind: 'completion', account: 'Ada', orderId: 5 }),
      'order 5 was completed, and is stored as cancelled',
    ],
  ])('finds %s', (_, found, finding) => {
    expect(webhookAnomalies(found)).toContain(finding);
  });
});
