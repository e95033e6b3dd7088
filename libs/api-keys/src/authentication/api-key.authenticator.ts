import type { IncomingMessage } from 'node:http';
import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { Batcher, DAY_MS } from '@animal-store/kernel';
import { hashApiKey, isWellFormedApiKey } from '../api-key.js';
import type { StoredApiKey } from '../api-key.store.js';
import { API_KEYS_OPTIONS, type ApiKeysOptions } from '../api-keys.options.js';
import { bearerToken } from './bearer.js';
import { nodeRequest } from '@animal-store/kernel/http';
import type { Authentication, Caller } from '../caller.js';

/** Throttled look-ups are four statements a second: few for any store, and hardly noticeable for a waiting key. */
const EVERY_MS = 250;
/** The maximum of hashes per statement, so that it is neither long nor slow. As many may wait for the next one. */
const MAX_HASHES = 1_000;
/** How long a key counts as unknown without being looked up again. */
const UNKNOWN_FOR_MS = 1_000;
/** Bounds the memory for unknown keys to about two megabytes. */
const MAX_UNKNOWN_KEYS = 10_000;

interface LookUp {
  readonly key: StoredApiKey | null;
  /** How many confirmations there were just before the store was read. */
  readonly mark: number;
}

/** A class, because V8 reserves space in its objects for the properties that others add. */
class CachedCaller implements Caller {
  readonly keyId: string;
  /** Null when it does not expire. Infinity would be a separate object for each of a million keys. */
  readonly #endsAtMs: number | null;
  /** The day of the last use that the application knows of. */
  #usedOnDay = -1;

  constructor(key: StoredApiKey) {
    this.#endsAtMs = endOf(key);
    Object.assign(this, callerIn(key));
  }

  isValidAt(nowMs: number): boolean {
    return this.#endsAtMs === null || nowMs < this.#endsAtMs;
  }

  /** Calls `note` for the first use on a day, and again until it returns true. */
  use(nowMs: number, note: NonNullable<ApiKeysOptions['onFirstUseOfDay']>): void {
    const day = Math.floor(nowMs / DAY_MS);
    if (day !== this.#usedOnDay && note(this.keyId, day)) this.#usedOnDay = day;
  }

  /** Stores return a new array for the same scopes at each look-up. */
  isAsIn(key: StoredApiKey): boolean {
    // Without what others have added under their own symbols.
    const known = Object.fromEntries(Object.entries(this));
    return this.#endsAtMs === endOf(key) && isDeepStrictEqual(known, callerIn(key));
  }
}

const STATE = new Set<string>(['hash', 'expiresAtMs', 'revokedAtMs'] satisfies (keyof StoredApiKey)[]);

function callerIn(key: StoredApiKey): object {
  return Object.fromEntries(Object.entries(key).filter(([name]) => !STATE.has(name)));
}

/**
 * Identifies the caller. Keys that were found are cached, so that a request with a known key costs a map look-up and no
 * promise.
 *
 * The application must confirm the cache regularly through `apply`. Without confirmation every request looks up its
 * key. So a service that never calls `apply` is correct, only slower, and one whose database is unavailable responds
 * with the error of the store instead of accepting revoked keys. A bounded number of unknown keys is cached for a
 * second: repeating one costs one look-up a second, and guessing costs no memory. Requests that `throttleLookUps` names
 * share a few look-ups a second.
 */
@Injectable()
export class ApiKeyAuthenticator {
  /** The clock of the options. */
  readonly now: () => number;
  readonly maxStalenessMs: number;
  private readonly maxCachedKeys: number;
  // By token and not by header, as the same token may be sent with different spellings of `Bearer` and spaces.
  private readonly callers = new Map<string, CachedCaller>();
  private readonly tokensById = new Map<string, string>();
  private readonly running = new Map<string, Promise<Authentication>>();
  private readonly unknown = new UnknownKeys();
  private readonly throttled: Batcher<string, LookUp>;
  private readonly counts = { hits: 0, misses: 0 };
  private eldest: MapIterator<string> | null = null;
  private confirmedAtMs = -Infinity;
  private confirmations = 0;

  /** @throws Error for options that lack something */
  constructor(@Inject(API_KEYS_OPTIONS) private readonly options: ApiKeysOptions) {
    if (typeof options.store?.findByHash !== 'function')
      throw new Error('ApiKeysModule needs the option `store`, an ApiKeyStore.');
    if (typeof options.prefix !== 'string' || options.prefix === '')
      throw new Error('ApiKeysModule needs the option `prefix`, with which every key begins: "acme_live_".');
    this.now = options.now ?? Date.now;
    this.maxStalenessMs = options.maxStalenessMs ?? 5_000;
    this.maxCachedKeys = options.maxCachedKeys ?? 1_000_000;
    this.throttled = new Batcher((hashes: readonly string[]) => this.findBatch(hashes), {
      max: MAX_HASHES,
      atOnce: 1,
      everyMs: EVERY_MS,
    });
    if (this.maxCachedKeys < 1) throw new RangeError('maxCachedKeys must be at least 1.');
  }

  /**
   * The caller, or the reason why there is none: `missing` without a bearer token (RFC 6750), `invalid` for an unknown,
   * expired, revoked or malformed key and for several Authorization headers, `unchecked` when there are too many
   * look-ups. Returns a promise only when the store is read.
   *
   * @throws the error of the store when the look-up fails
   */
  authenticate(request: IncomingMessage): Authentication | Promise<Authentication> {
    const token = bearerToken(nodeRequest(request).rawHeaders);
    if (token === null) return 'missing';
    const nowMs = this.now();
    // The absolute value, so that a clock that is set back does not extend the trust in the cache.
    if (Math.abs(nowMs - this.confirmedAtMs) <= this.maxStalenessMs) {
      const caller = this.callers.get(token);
      if (caller !== undefined) {
        this.counts.hits++;
        return this.accepted(caller, nowMs);
      }
    }
    if (this.unknown.has(token, nowMs) || !isWellFormedApiKey(token, this.options.prefix)) return 'invalid';
    this.counts.misses++;
    return this.lookUp(token, request);
  }

  /** How many requests had a cached key, and how many needed a look-up, for metrics. */
  get cacheUse(): { readonly hits: number; readonly misses: number } {
    return this.counts;
  }

  /** The caller by the cache alone. Do not trust it: see `evenIfUnverified` of `callerOf`. */
  cachedCallerOf(request: IncomingMessage): Caller | null {
    const token = bearerToken(nodeRequest(request).rawHeaders);
    return (token !== null && this.callers.get(token)) || null;
  }

  /**
   * Applies the changed keys of the store, and confirms all other cached keys. Call it about once a second with every
   * key changed since the last call. A key may be passed again.
   *
   * @param changed the keys that were changed, revoked ones included
   * @param asOfMs when the store was read (at the latest), in milliseconds of the clock in the options
   */
  apply(changed: readonly StoredApiKey[], asOfMs: number): void {
    for (const key of changed) {
      const token = this.tokensById.get(key.keyId);
      if (token !== undefined) this.callers.set(token, this.callerFor(token, key));
    }
    this.confirmedAtMs = asOfMs;
    this.confirmations++;
  }

  /**
   * Which of these tokens are not, or no longer, those of valid keys, and when that was known. A confirmation of the
   * cache that is older than half of `maxStalenessMs` is not enough: then the store reads all of them together.
   *
   * @throws the error of the store when a look-up fails
   */
  async recheck(tokens: readonly string[]): Promise<{ invalid: string[]; asOfMs: number }> {
    const nowMs = this.now();
    const isFresh = Math.abs(nowMs - this.confirmedAtMs) <= this.maxStalenessMs / 2;
    const [known, others] = [true, false].map((isKnown) =>
      tokens.filter((token) => (isFresh && this.callers.has(token)) === isKnown),
    ) as [string[], string[]];
    const invalid = known.filter((token) => !this.callers.get(token)!.isValidAt(nowMs));
    for (let next = 0; next < others.length; next += MAX_HASHES) {
      const batch = others.slice(next, next + MAX_HASHES);
      const found = await this.findBatch(batch.map(hashApiKey));
      for (const [index, token] of batch.entries())
        if (!this.callerFrom(token, found[index]!)?.isValidAt(this.now())) invalid.push(token);
    }
    return { invalid, asOfMs: known.length > 0 ? this.confirmedAtMs : nowMs };
  }

  private lookUp(token: string, request: IncomingMessage): Promise<Authentication> | 'unchecked' {
    const running = this.running.get(token);
    if (running !== undefined) return running;
    const found = this.find(token, request);
    if (found === null) return 'unchecked';
    const lookUp = found
      .then((one) => {
        const caller = this.callerFrom(token, one);
        return caller === null ? 'invalid' : this.accepted(caller, this.now());
      })
      .finally(() => this.running.delete(token));
    this.running.set(token, lookUp);
    return lookUp;
  }

  /** Null when too many throttled ones wait. */
  private find(token: string, request: IncomingMessage): Promise<LookUp> | null {
    const hash = hashApiKey(token);
    // A key that was found before is not a guess.
    if (this.callers.has(token) || !this.options.throttleLookUps?.(request)) return this.findOne(hash);
    return this.throttled.waitingCount < MAX_HASHES ? this.throttled.add(hash) : null;
  }

  private async findOne(hash: string): Promise<LookUp> {
    const mark = this.confirmations;
    return { key: await this.options.store.findByHash(hash), mark };
  }

  private async findBatch(hashes: readonly string[]): Promise<LookUp[]> {
    const mark = this.confirmations;
    const found = new Map<string, StoredApiKey>();
    for (const key of await this.options.store.findByHashes(hashes)) found.set(key.hash, key);
    return hashes.map((hash) => ({ key: found.get(hash) ?? null, mark }));
  }

  private accepted(caller: CachedCaller, nowMs: number): Authentication {
    if (!caller.isValidAt(nowMs)) return 'invalid';
    const { onFirstUseOfDay } = this.options;
    if (onFirstUseOfDay !== undefined) caller.use(nowMs, onFirstUseOfDay);
    return caller;
  }

  private callerFrom(token: string, { key, mark }: LookUp): CachedCaller | null {
    if (key === null) {
      this.forget(token);
      this.unknown.add(copyOf(token), this.now());
      return null;
    }
    const caller = this.callerFor(token, key);
    // A change applied during the look-up may be newer than its result.
    if (this.confirmations === mark) this.cache(token, caller);
    return caller;
  }

  private callerFor(token: string, key: StoredApiKey): CachedCaller {
    const known = this.callers.get(token);
    return known?.isAsIn(key) ? known : new CachedCaller(key);
  }

  private cache(token: string, caller: CachedCaller): void {
    if (this.callers.has(token)) {
      this.callers.set(token, caller);
      return;
    }
    if (this.callers.size >= this.maxCachedKeys) this.forgetEldest();
    const cached = copyOf(token);
    this.callers.set(cached, caller);
    this.tokensById.set(caller.keyId, cached);
  }

  private forget(token: string): void {
    const caller = this.callers.get(token);
    if (caller === undefined) return;
    this.callers.delete(token);
    this.tokensById.delete(caller.keyId);
  }

  /** One iterator for all calls: a new one would skip all deleted entries each time. */
  private forgetEldest(): void {
    this.eldest ??= this.callers.keys();
    const { value } = this.eldest.next();
    if (value !== undefined) this.forget(value);
  }
}

/** Caches which keys were unknown to the store a moment ago. Drops entries early when there are too many. */
class UnknownKeys {
  private latest = new Map<string, number>();
  private earlier = new Map<string, number>();

  has(token: string, nowMs: number): boolean {
    const sinceMs = this.latest.get(token) ?? this.earlier.get(token);
    // The absolute value, so that a clock that is set back does not extend the time.
    return sinceMs !== undefined && Math.abs(nowMs - sinceMs) < UNKNOWN_FOR_MS;
  }

  add(token: string, nowMs: number): void {
    // Two maps that are swapped: dropping a whole map costs nothing, while deleting the oldest entries of one map costs
    // more from time to time.
    if (this.latest.size >= MAX_UNKNOWN_KEYS / 2) {
      this.earlier = this.latest;
      this.latest = new Map();
    }
    this.latest.set(token, nowMs);
  }
}

function endOf(key: StoredApiKey): number | null {
  // Revoked keys are invalid at once, whatever the clock of the revoking process says.
  return key.revokedAtMs !== null ? -Infinity : key.expiresAtMs;
}

/** A copy, because a substring would reference the whole header, which could not be collected. */
function copyOf(token: string): string {
  return Buffer.from(token, 'latin1').toString('latin1');
}
