/** The `Idempotency-Key` of a request, which is unique within its caller. */
export interface IdempotencyKey {
  readonly caller: string;
  readonly value: string;
}

/** The response to the first request with an `Idempotency-Key`. */
export interface FirstResponse {
  /** A hash of the request, and of the API key to which alone it is replayed. */
  readonly fingerprint: string;
  /** Null when it was not stored: the usual status of the operation. */
  readonly status: number | null;
  /** The headers of this response. Headers that were set before the handler ran are not included. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string;
  /** By the clock of the database, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
}

/** What is stored for a key. */
export interface Found {
  /** The stored response, which may have expired. */
  readonly first: FirstResponse | null;
  /** The time of the database. The clocks of hosts may be wrong. */
  readonly nowMs: number;
}

export interface Claim extends Found {
  /** Whether the key is locked until the transaction ends. Otherwise another transaction holds the lock. */
  readonly isLocked: boolean;
}

/** Stores first responses, in the transactions of the application. */
export abstract class IdempotencyStore<Transaction = unknown> {
  /**
   * Runs `work` in a transaction and resolves after the commit. When `work` rejects, nothing that it wrote is stored.
   * It may run `work` again after a rollback.
   */
  abstract transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;

  /** Locks the key without waiting, then finds what is stored for it. */
  abstract claim(key: IdempotencyKey, transaction: Transaction): Promise<Claim>;

  /** What is committed for the key. */
  abstract find(key: IdempotencyKey): Promise<Found>;

  /** Stores the response. It replaces an expired one. */
  abstract save(key: IdempotencyKey, response: FirstResponse, transaction: Transaction): Promise<void>;
}
