import { DAY_MS, type DomainEvent } from '@animal-store/kernel';
import { type StoredEvent, TEST_EVENT } from './event.js';

export const DELIVERY_STATUSES = ['pending', 'delivered', 'failed'] as const;

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];
/** How long a delivery is pending at most. */
export const MAX_AGE_MS = 3 * DAY_MS;
/** How long to wait after each attempt that failed: ten attempts in about three days, as Standard Webhooks suggests. */
const WAITS_MS = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  20 * HOUR_MS,
];
/** A new webhook is tried for a day. */
const WAITS_OF_NEW_MS = WAITS_MS.slice(0, 6);
/** How long a receiver may pause its deliveries. */
const MAX_PAUSE_MS = HOUR_MS;

/** What is sent first: what was requested, then what is the account's own, then what is everybody's. */
export const RANKS = { requested: 0, own: 1, everybodys: 2 } as const;

/** An event on its way to a webhook. */
export interface Delivery {
  readonly id: bigint;
  readonly webhookId: bigint;
  readonly event: Pick<StoredEvent, 'id' | 'eventId' | 'type' | 'body' | 'createdAtMs' | 'cause'>;
  readonly rank: number;
  readonly status: DeliveryStatus;
  readonly attempts: number;
  /** Null unless it is pending. */
  readonly nextAttemptAtMs: number | null;
  /** Of the last attempt: null without a response. */
  readonly responseStatus: number | null;
  /** Why the last attempt has failed. */
  readonly problem: string | null;
  /** When it was created, or last retried. */
  readonly startedAtMs: number;
  readonly endedAtMs: number | null;
}

/** What an attempt has led to. Without a `problem` the event has arrived. */
export interface Outcome {
  /** Null without a response. */
  readonly status: number | null;
  readonly problem: string | null;
  /** How long the receiver pauses its deliveries; null when it does not. */
  readonly retryAfterMs: number | null;
}

/** Deliveries of these webhooks are to be sent, now or later. */
export class DeliveriesDue implements DomainEvent {
  readonly name = 'webhooks.deliveries_due';

  constructor(readonly webhooks: readonly { readonly id: bigint; readonly delayMs?: number }[]) {}
}

export function isTest({ event }: Pick<Delivery, 'event'>): boolean {
  return event.type === TEST_EVENT;
}

/** The receiver is to be notified of nothing more, by Standard Webhooks. */
export function isGone({ status }: Outcome): boolean {
  return status === 410;
}

/** The receiver has refused the request, and not temporarily. */
export function isRefused({ status: responded }: Outcome): boolean {
  const status = responded ?? 0;
  return status >= 400 && status < 500 && ![408, 409, 425, 429].includes(status);
}

/** How long the receiver pauses its deliveries by `Retry-After`; null when it does not. */
export function pauseMs({ status, retryAfterMs }: Outcome): number | null {
  if (retryAfterMs === null || ![429, 502, 503, 504].includes(status!)) return null;
  return Math.min(Math.max(retryAfterMs, SECOND_MS), MAX_PAUSE_MS);
}

export const OUTCOMES = ['delivered', 'refused', 'error', 'paused', 'no_response'] as const;

export function kindOf(outcome: Outcome): (typeof OUTCOMES)[number] {
  if (outcome.problem === null) return 'delivered';
  if (outcome.status === null) return 'no_response';
  if (pauseMs(outcome) !== null) return 'paused';
  return isRefused(outcome) ? 'refused' : 'error';
}

/**
 * The delivery after an attempt: arrived, to be tried again, or failed. An attempt after which the receiver pauses its
 * deliveries does not count.
 * @param isNew whether the webhook waits for its first response
 */
export function attempted(delivery: Delivery, outcome: Outcome, atMs: number, isNew = false): Delivery {
  const { status: responseStatus, problem } = outcome;
  const rank = Math.max(delivery.rank, RANKS.own);
  const result = { ...delivery, rank, responseStatus, problem };
  const ended = { nextAttemptAtMs: null, endedAtMs: atMs };
  const requestedMs = pauseMs(outcome);
  const attempts = delivery.attempts + (requestedMs === null ? 1 : 0);
  if (problem === null) return { ...result, attempts, status: 'delivered', ...ended };
  const waitsMs = isTest(delivery) ? (isNew ? WAITS_OF_NEW_MS : []) : WAITS_MS;
  const waitMs = isGone(outcome) ? Infinity : (requestedMs ?? waitsMs[attempts - 1] ?? Infinity);
  const nextAttemptAtMs = atMs + waitMs;
  const endMs = delivery.startedAtMs + (isTest(delivery) ? DAY_MS : MAX_AGE_MS);
  // One without an attempt that counts means that its webhook has a backlog.
  const isBehind = attempts === 0 && !isTest(delivery);
  if (isBehind || nextAttemptAtMs <= endMs) return { ...result, attempts, nextAttemptAtMs };
  return { ...result, attempts, status: 'failed', ...ended };
}

/** What an account requests to be sent now. */
export function requested(webhookId: bigint, atMs: number): Omit<Delivery, 'id' | 'event'> {
  return { webhookId, ...begun(atMs), responseStatus: null, problem: null };
}

/** The delivery begun again, whatever its status. */
export function retried(delivery: Delivery, atMs: number): Delivery {
  return { ...delivery, ...begun(atMs) };
}

function begun(atMs: number) {
  const times = { nextAttemptAtMs: atMs, startedAtMs: atMs, endedAtMs: null };
  return { rank: RANKS.requested, status: 'pending', attempts: 0, ...times } as const;
}

/** Whether it was pending for too long without one attempt that counts: its receiver is too slow. */
export function isOverdue({ attempts, startedAtMs }: Delivery, atMs: number): boolean {
  return attempts === 0 && atMs - startedAtMs > MAX_AGE_MS;
}
