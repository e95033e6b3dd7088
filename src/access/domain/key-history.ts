import type { Transaction } from '@animal-store/kernel';
import { type ApiKey, instant } from './api-key.js';

export type Fact = string | number | readonly string[] | null;
type Facts = Readonly<Record<string, Fact>>;

/** A new key, a change of one, or the lift of a ban. */
export interface KeyChange {
  /** The id of the key, or the address whose ban was lifted. */
  readonly subject: string;
  readonly atMs: number;
  /** The user and the host of a process, or the id of the key that acted over HTTP. */
  readonly by: string;
  /** The facts that changed, as they were; null for a new key. */
  readonly before: Facts | null;
  /** The same facts as they are now; of a new key all. Values of JSON, and never a secret or its hash. */
  readonly after: Facts;
}

/** Everything that was done to keys and bans, and by whom. It is only added to. */
export abstract class KeyHistory {
  /** Adds a change in the transaction that makes it. */
  abstract add(change: KeyChange, transaction: Transaction): Promise<void>;

  /** The changes of a subject, the first one first. */
  abstract of(subject: string): Promise<readonly KeyChange[]>;

  /** The changes of all keys that an account has ever had, the first one first. */
  abstract ofAccount(account: string): Promise<readonly KeyChange[]>;
}

/** Who runs this process, and changes keys without one. */
export abstract class Operator {
  /** The user and the host: `anna@db1`. */
  abstract readonly name: string;
}

/**
 * What is new about a key; null when nothing is.
 * @param before null for a new key
 */
export function changeOf(before: ApiKey | null, after: ApiKey, by: string, atMs: number): KeyChange | null {
  const [old, now] = [before && factsOf(before), factsOf(after)];
  const changed = Object.keys(now).filter(
    (fact) => JSON.stringify(old?.[fact]) !== JSON.stringify(now[fact]),
  );
  if (changed.length === 0) return null;
  const only = (facts: Facts) => Object.fromEntries(changed.map((fact) => [fact, facts[fact]!]));
  return { subject: after.id, atMs, by, before: old && only(old), after: only(now) };
}

function factsOf(key: ApiKey): Facts {
  const { name, account, scopes, replacedBy, suspendedAtMs } = key;
  const { name: plan, perMinute, perDay } = key.plan;
  const dates = {
    expiresAt: instant(key.expiresAtMs),
    revokedAt: instant(key.revokedAtMs),
    suspendedAt: instant(suspendedAtMs),
  };
  return { name, account, plan, perMinute, perDay, scopes, ...dates, replacedBy };
}
