import { DAY_MS } from '../../shared/clock.js';
import type { Transaction } from '../../shared/unit-of-work.js';

/** For how long a retry gets the first response again. */
export const FIRST_RESPONSE_LIFETIME_MS = DAY_MS;

/** The `Idempotency-Key` of a request, which is unique within its API key. */
export interface IdempotencyKey {
  readonly apiKeyId: string;
  readonly value: string;
}

/** The response to the first request with an `Idempotency-Key`. */
export interface FirstResponse {
  /** What was asked for, as a hash. */
  readonly fingerprint: string;
  /** Null where that was not stored yet: the one that the operation always has. */
  readonly status: number | null;
  /** Its own headers; those of every response are not among them. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export abstract class IdempotencyRepository {
  /** Locks the key until the transaction ends; false when another transaction has locked it. */
  abstract lock(key: IdempotencyKey, transaction: Transaction): Promise<boolean>;

  /** The response that was stored for the key after this time, or null when there is none. */
  abstract find(
    key: IdempotencyKey,
    afterMs: number,
    transaction: Transaction,
  ): Promise<FirstResponse | null>;

  /** Stores the response, in the place of one that has expired. */
  abstract save(
    key: IdempotencyKey,
    response: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void>;
}
