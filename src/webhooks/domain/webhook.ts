import { DAY_MS } from '@animal-store/kernel';
import { type Delivery, isGone, isTest, type TryOutcome } from './delivery.js';
import type { WebhookEvent } from './webhook-event.js';

/** The most webhooks of an account. */
export const MOST_WEBHOOKS = 20;
/** The most secrets that sign at a time. */
const MOST_SECRETS = 5;
/** How long a secret signs beside the one that replaces it. */
const OLD_SECRET_MS = DAY_MS;
/** A receiver is dead when nothing has arrived for this time, and in this number of tries. */
const DEAD_AFTER_MS = 5 * DAY_MS;
const DEAD_AFTER_TRIES = 10;
/** How long a receiver rests that has not responded, then twice as long each time, up to a bound. */
const REST_MS = 10_000;
const LONGEST_REST_MS = 5 * 60_000;

/** How much the clocks of replicas and of the database may differ. */
const CLOCKS_DIFFER_MS = 60_000;

/**
 * - `failing`: nothing has arrived for five days
 * - `gone`: the receiver has said so
 * - `no_key`: no key of the account works any more
 */
export const DISABLED_REASONS = ['failing', 'gone', 'no_key'] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** Null for the newest secret, which has no end. */
export interface SigningSecret {
  readonly text: string;
  readonly untilMs: number | null;
}

/** Where an account is told of events. */
export interface Webhook {
  readonly id: bigint;
  readonly account: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  /** The newest first. */
  readonly secrets: readonly SigningSecret[];
  readonly createdAtMs: number;
  /** When its deliveries are looked at next; null while none is pending. The job that does so knows itself by this time. */
  readonly wakeAtMs: number | null;
  /** The last time for which a job was stored ahead. */
  readonly plannedAtMs: number | null;
  /** The tries that have failed since something arrived. */
  readonly failures: number;
  /** When the first of them did. */
  readonly failingSinceMs: number | null;
  readonly disabledAtMs: number | null;
  readonly disabledReason: DisabledReason | null;
}

export type NewWebhook = Omit<Webhook, 'id'>;
export type WebhookTerms = Pick<Webhook, 'account' | 'url' | 'events'>;

export function newWebhook({ events, ...terms }: WebhookTerms, secret: string, atMs: number): NewWebhook {
  return {
    ...terms,
    events: [...new Set(events)],
    secrets: [{ text: secret, untilMs: null }],
    createdAtMs: atMs,
    wakeAtMs: null,
    plannedAtMs: null,
    ...WORKING,
  };
}

const WORKING = { failures: 0, failingSinceMs: null, disabledAtMs: null, disabledReason: null };

/** The webhook is told of nothing more, until something arrives. */
export function disabled(webhook: Webhook, disabledReason: DisabledReason, disabledAtMs: number): Webhook {
  return webhook.disabledAtMs === null ? { ...webhook, disabledAtMs, disabledReason } : webhook;
}

/** A webhook without an account is deleted: nobody sees it, and its row goes when nothing of it is pending. No account has an empty name. */
const NO_ACCOUNT = '';

export function deleted(webhook: Webhook, atMs: number): Webhook {
  return { ...webhook, account: NO_ACCOUNT, secrets: [], disabledAtMs: atMs, wakeAtMs: atMs };
}

export function isDeleted({ account }: Webhook): boolean {
  return account === NO_ACCOUNT;
}

/** The secrets that sign at this time. */
export function signingSecrets({ secrets }: Webhook, atMs: number): readonly SigningSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs);
}

/** The others sign for another day, so that the receiver has time to learn the new one. */
export function withNewSecret(webhook: Webhook, secret: string, atMs: number): Webhook {
  const endMs = atMs + OLD_SECRET_MS;
  const old = signingSecrets(webhook, atMs).map(({ text, untilMs }) => ({ text, untilMs: untilMs ?? endMs }));
  return { ...webhook, secrets: [{ text: secret, untilMs: null }, ...old].slice(0, MOST_SECRETS) };
}

/**
 * Whether a job must be added for a new delivery. A webhook that waits to retry another delivery is woken. One that rests is not:
 * it is looked at soon.
 */
export function isAsleep(webhook: Webhook, atMs: number): boolean {
  return webhook.wakeAtMs === null || webhook.wakeAtMs > atMs + restMs(webhook);
}

function restMs({ failures }: Webhook): number {
  return failures === 0 ? 0 : Math.min(REST_MS * 2 ** (failures - 1), LONGEST_REST_MS);
}

/**
 * When to look again at a webhook whose next delivery is due at `dueAtMs`: one that does not respond rests for longer and longer.
 * @param last the outcome of the last try, if there was one
 */
export function nextWakeMs(
  webhook: Webhook,
  last: TryOutcome | undefined,
  dueAtMs: number | null,
  atMs: number,
): number | null {
  if (dueAtMs === null) return null;
  return Math.max(dueAtMs, atMs + (last?.hasResponded === false ? restMs(webhook) : 0));
}

/** Whether the job for this time is stored already. One that is soon due may have run by now, by another clock. */
export function isPlanned({ plannedAtMs }: Webhook, wakeAtMs: number, atMs: number): boolean {
  return plannedAtMs === wakeAtMs && wakeAtMs > atMs + CLOCKS_DIFFER_MS;
}

/** What a try says of the receiver. */
export function afterTry(webhook: Webhook, delivery: Delivery, outcome: TryOutcome, atMs: number): Webhook {
  if (outcome.problem === null) return { ...webhook, ...WORKING };
  if (isGone(outcome)) return disabled(webhook, 'gone', atMs);
  // A receiver that is being set up, or was given up, is no worse than before.
  if (isTest(delivery) || webhook.disabledAtMs !== null) return webhook;
  const failingSinceMs = webhook.failingSinceMs ?? atMs;
  const failing = { ...webhook, failures: webhook.failures + 1, failingSinceMs };
  const isDead = failing.failures >= DEAD_AFTER_TRIES && atMs - failingSinceMs >= DEAD_AFTER_MS;
  return isDead ? disabled(failing, 'failing', atMs) : failing;
}
