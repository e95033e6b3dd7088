import { Inject, Injectable } from '@nestjs/common';
import { DAY_MS } from '@animal-store/kernel';
import { FirstResponseWithheld, IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import { IDEMPOTENCY_OPTIONS, type IdempotencyOptions } from './idempotency.options.js';
import type { FirstResponse, Found, IdempotencyKey } from './idempotency.store.js';

export type StorableResponse = Omit<FirstResponse, 'fingerprint' | 'createdAtMs'>;

export interface OnceResult {
  readonly response: StorableResponse;
  /** Whether it is the response to an earlier request. */
  readonly isReplayed: boolean;
}

/** Runs the work of a request with an Idempotency-Key once, however often the request is sent. */
@Injectable()
export class Idempotency {
  private readonly running = new Set<string>();

  constructor(@Inject(IDEMPOTENCY_OPTIONS) readonly options: IdempotencyOptions) {
    const { store, callerOf } = options as Partial<IdempotencyOptions>;
    if (typeof store?.claim !== 'function') throw missing('store', 'an IdempotencyStore');
    if (typeof callerOf !== 'function') throw missing('callerOf', 'a function');
  }

  /**
   * Returns the first response to `key`: the stored one, or that of `respond`, which is then stored in the same
   * transaction as everything that `respond` writes. So a retry finds both or neither. Errors are not stored.
   * @param fingerprint equal for equal requests; after a space, the only caller to whom the response is replayed
   * @throws FirstResponseWithheld when that is another caller.
   * @throws IdempotencyKeyReused when the key belongs to another request.
   * @throws IdempotencyInProgress when the first request with the key is still running.
   */
  async once(
    key: IdempotencyKey,
    fingerprint: string,
    respond: (transaction: unknown) => Promise<StorableResponse>,
  ): Promise<OnceResult> {
    const { store } = this.options;
    const name = `${key.caller} ${key.value}`;
    if (this.running.has(name)) {
      // The running request may itself replay a response. This read waits for no writer, as it is in no transaction.
      const first = unexpired(await store.find(key));
      if (!first) throw new IdempotencyInProgress();
      return replayOf(first, fingerprint);
    }
    this.running.add(name);
    try {
      return await store.transaction(async (transaction) => {
        // `running` knows only this process; the lock covers the other replicas.
        const claim = await store.claim(key, transaction);
        const first = unexpired(claim);
        if (first) return replayOf(first, fingerprint);
        if (!claim.isLocked) throw new IdempotencyInProgress();
        const response = await respond(transaction);
        // The spread comes last: V8 adds fields slowly to an object that begins with one.
        await store.save(key, { fingerprint, createdAtMs: claim.nowMs, ...response }, transaction);
        return { response, isReplayed: false };
      });
    } finally {
      this.running.delete(name);
    }
  }
}

function missing(option: string, kind: string): TypeError {
  return new TypeError(`IdempotencyModule needs the option \`${option}\`, ${kind}.`);
}

function unexpired({ first, nowMs }: Found): FirstResponse | null {
  return first !== null && nowMs - first.createdAtMs < DAY_MS ? first : null;
}

function replayOf(first: FirstResponse, fingerprint: string): OnceResult {
  if (first.fingerprint === fingerprint) return { response: first, isReplayed: true };
  const isSameRequest = requestIn(first.fingerprint) === requestIn(fingerprint);
  throw isSameRequest ? new FirstResponseWithheld() : new IdempotencyKeyReused();
}

function requestIn(fingerprint: string): string {
  return fingerprint.split(' ', 1)[0]!;
}
