import type { Transaction } from '@animal-store/kernel';

/** A ban in force, in milliseconds since the Unix epoch. */
export interface Ban {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many refused requests within a minute led to it; absent when unknown. */
  readonly refusals?: number;
}

/** A lift ends every ban that began at its time or before. */
export function isLifted({ sinceMs }: Ban, liftedAtMs: number | null | undefined): boolean {
  return sinceMs <= (liftedAtMs ?? -Infinity);
}

/** Whether the text begins as the id of a key. */
export function isKeyId(text: string): boolean {
  return text.startsWith('key_');
}

const ACCOUNT = 'account ';

/** The subject of an account. For one that is named by the id of a key, as most are, it is that id. */
export function accountSubject(account: string): string {
  return isKeyId(account) ? account : ACCOUNT + account;
}

/** Budgets that are counted, and banned, apart from other requests: preflights, and what shows the usage. */
export const PREFLIGHTS = 'preflight';
export const USAGE_REQUESTS = { name: 'usage', perMinute: 600 };

/** A caller and the subject in which its requests count, which others may share. */
export interface Caller {
  readonly subject: string;
  readonly caller: string;
}

/** The storage key of a caller's bans and lifts. That of an address, or of a key without an account, is its id. */
export function callerText({ subject, caller }: Caller): string {
  return caller === subject ? subject : `${subject}\n${caller}`;
}

export function callerIn(text: string): Caller {
  const [subject, caller = subject] = text.split('\n') as [string, string?];
  return { subject, caller };
}

export function keyCaller({ id, account }: { readonly id: string; readonly account: string }): string {
  return callerText({ subject: accountSubject(account), caller: id });
}

/** A caller and its separate budgets: a lift ends the bans of all. */
export function withSeparateBans(text: string): string[] {
  const { subject, caller } = callerIn(text);
  return [
    text,
    ...[PREFLIGHTS, USAGE_REQUESTS.name].map((budget) =>
      callerText({ subject, caller: `${budget} ${caller}` }),
    ),
  ];
}

/** The caller to whom a separate ban belongs. */
export function mainCaller(text: string): string {
  const { subject, caller } = callerIn(text);
  return callerText({ subject, caller: caller.replace(/^(?:preflight|usage) /, '') });
}

/** Who that is: a key and its account, or a caller without a key, by its address. */
export type Banned =
  | { readonly keyId: string; readonly account: string; readonly address: null }
  | { readonly keyId: null; readonly account: null; readonly address: string };

export function bannedOf(text: string): Banned {
  const { subject, caller } = callerIn(mainCaller(text));
  const isAccount = subject.startsWith(ACCOUNT);
  if (!isAccount && !isKeyId(subject)) return { keyId: null, account: null, address: subject };
  return { keyId: caller, account: isAccount ? subject.slice(ACCOUNT.length) : subject, address: null };
}

/** A lift of the bans of a caller. */
export interface Lift {
  /** The storage key of a caller. */
  readonly subject: string;
  readonly liftedAtMs: number;
  readonly changedAtMs: number;
}

/** The lifts of the last day: no older one matters. */
export abstract class LiftRepository {
  /** Stores a lift, with a `changedAtMs` later than that of every lift committed before, whatever the hosts' clocks. */
  abstract add(subject: string, liftedAtMs: number, transaction: Transaction): Promise<void>;

  /** The lifts whose `changedAtMs` is later than `afterMs`, in that order; at most `limit` of them. */
  abstract changedAfter(afterMs: number, limit: number): Promise<readonly Lift[]>;
}
