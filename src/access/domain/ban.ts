import type { Transaction } from '@animal-store/kernel';

/** A ban in force, in milliseconds since the Unix epoch. */
export interface Ban {
  readonly sinceMs: number;
  readonly untilMs: number;
  /** How many refused requests within a minute led to it; absent when nobody remembers. */
  readonly refusals?: number;
}

/** When callers are banned, and for how long. */
interface BanRules {
  readonly minRefusals: number;
  readonly firstBanMs: number;
  readonly longestBanMs: number;
  readonly memoryMs: number;
}

/** The rule that every ban follows. */
export function banRule({ minRefusals, firstBanMs, longestBanMs, memoryMs }: BanRules): string {
  const threshold = `half its limit a minute, and at least ${minRefusals},`;
  const length = `The ban lasts ${seconds(firstBanMs)}, each further one within ${seconds(memoryMs)} twice as long, at most ${seconds(longestBanMs)}.`;
  return `A caller is banned when ${threshold} of its requests are refused within a minute. ${length}`;
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
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

/** What the requests of an account are counted as. One that is named by the id of a key, as most are, is that id. */
export function accountSubject(account: string): string {
  return isKeyId(account) ? account : ACCOUNT + account;
}

const PREFLIGHTS = 'preflight ';

/** Preflights of an address are counted, and banned, apart from its other requests. */
export function preflightsOf(address: string): string {
  return PREFLIGHTS + address;
}

const USAGE = 'usage';

/** Questions for what is left are counted, and banned, apart from the requests that they are about. */
export const USAGE_REQUESTS = { name: USAGE, perMinute: 600 };

/** A subject, and what is counted apart for the same caller: a lift ends the bans of all. */
export function withCountedApart(subject: string): string[] {
  return [subject, PREFLIGHTS + subject, `${USAGE} ${subject}`];
}

/** The subject that is meant by one of those above. */
export function mainSubject(subject: string): string {
  return subject.replace(/^(?:preflight|usage) /, '');
}

/** Who a subject is: an account, or a caller without a key, by its address. */
export type Banned =
  { readonly account: string; readonly address: null } | { readonly account: null; readonly address: string };

export function bannedOf(subject: string): Banned {
  const who = mainSubject(subject);
  if (who.startsWith(ACCOUNT)) return { account: who.slice(ACCOUNT.length), address: null };
  return isKeyId(who) ? { account: who, address: null } : { account: null, address: who };
}

/** That the bans of a subject are lifted. */
export interface Lift {
  readonly subject: string;
  readonly liftedAtMs: number;
  readonly changedAtMs: number;
}

/** The lifts of the last day: no older one matters. */
export abstract class LiftRepository {
  /** Stores a lift, with a `changedAtMs` later than that of every lift committed before, whatever the clocks of the hosts. */
  abstract add(subject: string, liftedAtMs: number, transaction: Transaction): Promise<void>;

  /** The lifts whose `changedAtMs` is later than `afterMs`, in that order; at most `limit` of them. */
  abstract changedAfter(afterMs: number, limit: number): Promise<readonly Lift[]>;
}
