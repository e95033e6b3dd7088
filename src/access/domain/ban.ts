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
  const most = `half its limit a minute, and at least ${minRefusals},`;
  const length = `The ban lasts ${seconds(firstBanMs)}, each further one within ${seconds(memoryMs)} twice as long, at most ${seconds(longestBanMs)}.`;
  return `A caller is banned when ${most} of its requests are refused within a minute. ${length}`;
}

function seconds(ms: number): string {
  return `${ms / 1_000} s`;
}

/** A lift ends every ban that began at its time or before. */
export function isLifted({ sinceMs }: Ban, liftedAtMs: number | null | undefined): boolean {
  return sinceMs <= (liftedAtMs ?? -Infinity);
}

/** Who is banned: a key by its id, or an address. */
export function isKeyId(subject: string): boolean {
  return subject.startsWith('key_');
}

const PREFLIGHTS = 'preflight ';

/** Preflights of an address are counted, and banned, apart from its other requests. */
export function preflightsOf(address: string): string {
  return PREFLIGHTS + address;
}

/** The address of a subject that is one, or that is the preflights of one. */
export function addressOf(subject: string): string {
  return subject.startsWith(PREFLIGHTS) ? subject.slice(PREFLIGHTS.length) : subject;
}

/** That the bans of an address are lifted. Lifts of the bans of a key are stored with the key. */
export interface AddressLift {
  readonly address: string;
  readonly liftedAtMs: number;
  readonly changedAtMs: number;
}

/** The lifts of the last day: no older one matters. */
export abstract class AddressLiftRepository {
  /** Stores a lift, with a `changedAtMs` later than that of every lift committed before, whatever the clocks of the hosts. */
  abstract add(address: string, liftedAtMs: number, transaction: Transaction): Promise<void>;

  /** The lifts whose `changedAtMs` is later than `afterMs`, in that order, a batch at a time. */
  abstract after(afterMs: number): AsyncIterable<readonly AddressLift[]>;
}
