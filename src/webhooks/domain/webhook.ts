import { DAY_MS } from '@animal-store/kernel';
import { type Delivery, isGone, isRefused, isTest, type Outcome, pauseMs, RANKS } from './delivery.js';

/** The most webhooks of an account. */
export const MAX_WEBHOOKS = 20;
const SECRET_BYTES = 32;
/** The most secrets that sign at a time. */
const MAX_SECRETS = 5;
/** How long a secret signs beside the one that replaces it. */
const OLD_SECRET_MS = DAY_MS;
/** A receiver is dead when nothing has arrived for this time, and in this number of attempts. */
const DEAD_AFTER_MS = 5 * DAY_MS;
const DEAD_AFTER_ATTEMPTS = 10;
/** A webhook is disabled when its receiver refuses everything for this time, and so often. */
const REFUSED_AFTER_MS = DAY_MS;
const REFUSED_AFTER_ATTEMPTS = 20;
/** How long a webhook is paused whose receiver has not responded, then twice as long each time, up to a bound. */
const PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 5 * 60_000;
/** A webhook is paused from this error response in a row on. Fewer may all have one event as their cause. */
const ERRORS_UNTIL_PAUSE = 5;

/** Each is described where it is shown. */
export const DISABLED_REASONS = [
  'failing',
  'refused',
  'gone',
  'behind',
  'no_key',
  'insufficient_scope',
] as const;

export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** `pending`: its receiver has not responded to a test yet, and is notified of nothing. */
export const WEBHOOK_STATUSES = ['pending', 'enabled', 'disabled'] as const;

export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number];

/** Null for the newest secret, which has no end. */
export interface SigningSecret {
  readonly text: string;
  readonly untilMs: number | null;
}

/** Where an account is notified of events. */
export interface Webhook {
  readonly id: bigint;
  readonly account: string;
  /** The id of the key that has made it; null when an earlier release stored only its owner key. */
  readonly createdBy: string | null;
  /** The id of the key with which it ends; null for one of an earlier release: its account's last key. */
  readonly ownerKey: string | null;
  readonly url: string;
  readonly events: readonly string[];
  /** The newest first. */
  readonly secrets: readonly SigningSecret[];
  readonly createdAtMs: number;
  readonly status: WebhookStatus;
  /** Its pending deliveries. */
  readonly pending: number;
  /** Until when nothing is sent but what is requested; null when it is not paused. */
  readonly pausedUntilMs: number | null;
  /** The attempts that have failed since something arrived. */
  readonly failures: number;
  /** When the first of them did. */
  readonly failingSinceMs: number | null;
  /** When the first of those failed that were all refused. */
  readonly refusedSinceMs: number | null;
  readonly disabledAtMs: number | null;
  readonly disabledReason: DisabledReason | null;
}

export type NewWebhook = Omit<Webhook, 'id'>;
export type WebhookTerms = Pick<Webhook, 'account' | 'createdBy' | 'url' | 'events'>;

export function newWebhook({ events, ...terms }: WebhookTerms, atMs: number): NewWebhook {
  return {
    ...terms,
    ownerKey: terms.createdBy,
    events: [...new Set(events)],
    secrets: [newSecret()],
    createdAtMs: atMs,
    pending: 0,
    ...WORKING,
    status: 'pending',
  };
}

const WORKING = {
  status: 'enabled',
  pausedUntilMs: null,
  failures: 0,
  failingSinceMs: null,
  refusedSinceMs: null,
  disabledAtMs: null,
  disabledReason: null,
} as const;

/** The webhook is notified of nothing more until something arrives, and what began until now ends. */
export function disabled(webhook: Webhook, disabledReason: DisabledReason, disabledAtMs: number): Webhook {
  return { ...webhook, status: 'disabled', disabledAtMs, disabledReason };
}

/** Too much of it is pending, or for too long. One that is disabled already keeps the reason. */
export function fallenBehind(webhook: Webhook, atMs: number): Webhook {
  return disabled(webhook, webhook.disabledReason ?? 'behind', atMs);
}

/** Another key has it from now on. */
export function ownedBy(webhook: Webhook, ownerKey: string | null): Webhook {
  return { ...webhook, createdBy: makerOf(webhook), ownerKey };
}

export function makerOf({ createdBy, ownerKey }: Webhook): string | null {
  return createdBy ?? ownerKey;
}

/** The secrets that sign at this time. */
export function signingSecrets({ secrets }: Webhook, atMs: number): readonly SigningSecret[] {
  return secrets.filter(({ untilMs }) => untilMs === null || untilMs > atMs);
}

/** Random bytes in the form of Standard Webhooks. */
function newSecret(): SigningSecret {
  const bytes = crypto.getRandomValues(new Uint8Array(SECRET_BYTES));
  return { text: `whsec_${Buffer.from(bytes).toString('base64')}`, untilMs: null };
}

/** The others sign for another day, so that the receiver has time to configure the new one. */
export function withNewSecret(webhook: Webhook, atMs: number): Webhook {
  const endMs = atMs + OLD_SECRET_MS;
  const old = signingSecrets(webhook, atMs).map(({ text, untilMs }) => ({ text, untilMs: untilMs ?? endMs }));
  return { ...webhook, secrets: [newSecret(), ...old].slice(0, MAX_SECRETS) };
}

export function isPaused({ pausedUntilMs }: Pick<Webhook, 'pausedUntilMs'>, atMs: number): boolean {
  return (pausedUntilMs ?? 0) > atMs;
}

/** The webhook after an attempt. */
export function afterAttempt(webhook: Webhook, delivery: Delivery, outcome: Outcome, atMs: number): Webhook {
  if (outcome.problem === null) {
    // A delivery that began before it was disabled does not enable it: only one requested since does.
    const isEarlier = delivery.startedAtMs <= (webhook.disabledAtMs ?? 0);
    return isEarlier ? webhook : { ...webhook, ...WORKING };
  }
  if (isGone(outcome)) return webhook.status === 'disabled' ? webhook : disabled(webhook, 'gone', atMs);
  const requestedMs = pauseMs(outcome);
  if (requestedMs !== null) return { ...webhook, pausedUntilMs: atMs + requestedMs };
  // Failed tests, and failures while it is not enabled, do not count.
  if (isTest(delivery) || webhook.status !== 'enabled') return webhook;
  const failures = webhook.failures + 1;
  const failingSinceMs = webhook.failingSinceMs ?? atMs;
  const refusedSinceMs = isRefused(outcome) ? (webhook.refusedSinceMs ?? atMs) : null;
  const pausedUntilMs = pauseAfter(outcome, failures, atMs);
  const failing = { ...webhook, failures, failingSinceMs, refusedSinceMs, pausedUntilMs };
  if (failures >= DEAD_AFTER_ATTEMPTS && atMs - failingSinceMs >= DEAD_AFTER_MS)
    return disabled(failing, 'failing', atMs);
  const isRefusedForLong = refusedSinceMs !== null && atMs - refusedSinceMs >= REFUSED_AFTER_MS;
  return isRefusedForLong && failures >= REFUSED_AFTER_ATTEMPTS
    ? disabled(failing, 'refused', atMs)
    : failing;
}

function pauseAfter({ status }: Outcome, failures: number, atMs: number): number | null {
  const nth = status === null ? failures - 1 : failures - ERRORS_UNTIL_PAUSE;
  return nth < 0 ? null : atMs + Math.min(PAUSE_MS * 2 ** nth, MAX_PAUSE_MS);
}

/** When the next delivery is to be sent, of what is due of each rank. Null when nothing is pending. */
export function nextAttemptAtMs(
  { pausedUntilMs }: Pick<Webhook, 'pausedUntilMs'>,
  due: readonly { readonly rank: number; readonly atMs: number }[],
): number | null {
  const times = due.map(({ rank, atMs }) =>
    rank === RANKS.requested ? atMs : Math.max(atMs, pausedUntilMs ?? 0),
  );
  return times.length === 0 ? null : Math.min(...times);
}
