import { DAY_MS, type Transaction } from '@animal-store/kernel';

/** How long a retry gets the first response again. */
export const FIRST_RESPONSE_LIFETIME_MS = DAY_MS;

/** The `Idempotency-Key` of a request, which is unique within its API key. */
export interface IdempotencyKey {
  readonly apiKeyId: string;
  readonly value: string;
}

/** The response to the first request with an `Idempotency-Key`. */
export interface FirstResponse {
  /** A hash of the request. */
  readonly fingerprint: string;
  /** Null in records of versions that did not store it: the operation's usual status. */
  readonly status: number | null;
  /** The headers of this response. Headers that every response has are not included. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
}

export abstract class IdempotencyRepository {
  /** Locks the key until the transaction ends; false when another transaction holds the lock. */
  abstract lock(key: IdempotencyKey, transaction: Transaction): Promise<boolean>;

  /** The response stored for the key after `afterMs`; null when there is none. */
  abstract find(
    key: IdempotencyKey,
    afterMs: number,
    transaction: Transaction,
  ): Promise<FirstResponse | null>;

  /** Stores the response. It replaces an expired one. */
  abstract save(
    key: IdempotencyKey,
    response: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void>;
}
