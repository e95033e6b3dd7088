/** A request with a key. */
export interface KeyUse {
  readonly key: string;
  readonly invokedMs: number;
  readonly returnedMs: number;
  /** 0 without a response. */
  readonly status: number;
  readonly code: string | null;
}

/** Keys that an operator has ended: those of a suspended account, or a revoked one with all that it has made. */
export interface KeyEnd {
  readonly keys: readonly string[];
  /** When the command had ended. */
  readonly doneMs: number;
}

export interface KeyHistory {
  readonly keyUses: readonly KeyUse[];
  readonly keyEnds: readonly KeyEnd[];
}

/** How long a server may still know a key. */
const MAX_STALENESS_MS = 5_000;
/** Fewer refusals ban no key. */
const MIN_REFUSALS = 20;

/** Describes uses of keys that had ended before, and bans of keys whose own requests were not refused as often. */
export function keyProblems({ keyUses, keyEnds }: KeyHistory): string[] {
  const endedAtMs = new Map<string, number>();
  for (const { keys, doneMs } of keyEnds) for (const key of keys) endedAtMs.set(key, doneMs);
  const problems: string[] = [];
  for (const use of keyUses) {
    const { key, invokedMs, status, code } = use;
    const lateMs = invokedMs - (endedAtMs.get(key) ?? Infinity);
    if (status === 200 && lateMs > MAX_STALENESS_MS)
      problems.push(`${key} works ${lateMs.toFixed(0)} ms after it was ended.`);
    // An ended key is as unknown as any other: its requests count against their address, with those of other keys.
    if (code !== 'api_key_banned' || endedAtMs.has(key)) continue;
    const refusals = keyUses.filter((other) => other !== use && mayBeRefusedBefore(other, use)).length;
    if (refusals < MIN_REFUSALS) problems.push(`${key} is banned after ${refusals} refusals of its own.`);
  }
  return problems;
}

/** Requests that overlap have no order, and one without a response may have been refused. */
function mayBeRefusedBefore(other: KeyUse, { key, returnedMs }: KeyUse): boolean {
  return other.key === key && [429, 0].includes(other.status) && other.invokedMs < returnedMs;
}

/** Those of these keys that nobody has ended and that do not work, when all is repaired. */
export function lostKeys(keys: readonly string[], { keyUses, keyEnds }: KeyHistory): string[] {
  const ended = new Set(keyEnds.flatMap((end) => end.keys));
  const latest = new Map(keyUses.map((use) => [use.key, use.status]));
  return keys
    .filter((key) => !ended.has(key) && latest.get(key) !== 200)
    .map((key) => `${key} is ${latest.get(key)} in the end, and nobody has ended it.`);
}
