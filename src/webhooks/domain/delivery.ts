import { DAY_MS, type DomainEvent } from '@animal-store/kernel';
import { type Announcement, TEST_EVENT } from './webhook-event.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
/** How long to wait after each try that failed: ten tries in about three days, as Standard Webhooks suggests. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  DAY_MS,
];

/** An event on its way to a webhook. */
export interface Delivery {
  readonly id: bigint;
  readonly webhookId: bigint;
  readonly eventId: string;
  readonly event: Announcement['event'];
  /** What is sent, in JSON. */
  readonly body: string;
  readonly status: DeliveryStatus;
  readonly tries: number;
  /** Null unless it is pending. */
  readonly nextTryAtMs: number | null;
  /** Of the last try: null without a response. */
  readonly responseStatus: number | null;
  /** Why the last try has failed. */
  readonly problem: string | null;
  readonly createdAtMs: number;
  /** When it was created, or last retried. */
  readonly beganAtMs: number;
  readonly endedAtMs: number | null;
}

export type NewDelivery = Omit<Delivery, 'id' | 'webhookId'>;

/** What a try has led to. Without a `problem` the event has arrived. */
export interface TryOutcome {
  readonly hasResponded: boolean;
  readonly status: number | null;
  readonly problem: string | null;
}

/** The deliveries of a webhook are to be looked at, now or later. */
export class DeliveriesDue implements DomainEvent {
  readonly name = 'webhooks.deliveries_due';

  /**
   * @param wakeAtMs that of the webhook
   * @param first the delivery that somebody waits for
   */
  constructor(
    readonly webhookId: bigint,
    readonly wakeAtMs: number,
    readonly delayMs: number,
    readonly first: bigint | null = null,
  ) {}
}

export function newDelivery({ id, event, data, atMs }: Announcement): NewDelivery {
  return {
    eventId: id,
    event,
    body: `{"type":"${event}","timestamp":"${new Date(atMs).toISOString()}","data":${data}}`,
    status: 'pending',
    tries: 0,
    nextTryAtMs: atMs,
    responseStatus: null,
    problem: null,
    createdAtMs: atMs,
    beganAtMs: atMs,
    endedAtMs: null,
  };
}

/** A test is tried once. */
export function isTest({ event }: Pick<Delivery, 'event'>): boolean {
  return event === TEST_EVENT;
}

/** The receiver wants to be told of nothing more, as Standard Webhooks has it. */
export function isGone({ status }: TryOutcome): boolean {
  return status === 410;
}

/** The delivery after a try: arrived, to be tried again, or failed. */
export function tried(delivery: Delivery, outcome: TryOutcome, atMs: number): Delivery {
  const { status, problem } = outcome;
  const tries = delivery.tries + 1;
  const result = { ...delivery, tries, responseStatus: status, problem };
  if (problem === null) return { ...result, status: 'delivered', nextTryAtMs: null, endedAtMs: atMs };
  const waitMs = isTest(delivery) || isGone(outcome) ? undefined : WAITS_MS[tries - 1];
  if (waitMs !== undefined) return { ...result, nextTryAtMs: atMs + waitMs };
  return { ...result, status: 'failed', nextTryAtMs: null, endedAtMs: atMs };
}

/** The delivery begun again, whatever became of it. */
export function retried(delivery: Delivery, atMs: number): Delivery {
  return { ...delivery, status: 'pending', tries: 0, nextTryAtMs: atMs, beganAtMs: atMs, endedAtMs: null };
}
