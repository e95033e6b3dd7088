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
}

export interface Claim {
  /** Whether the key is locked until the transaction ends. Otherwise another transaction holds the lock. */
  readonly isLocked: boolean;
  readonly first: FirstResponse | null;
  /** The time of the database, in milliseconds since the Unix epoch. The clocks of hosts may be wrong. */
  readonly nowMs: number;
}

/** Stores first responses, in the transactions of the application, and knows the time by which they expire. */
export abstract class IdempotencyStore<Transaction = unknown> {
  /**
   * Runs `work` in a transaction and resolves after the commit. When `work` rejects, nothing that it wrote is stored.
   * It may run `work` again after a rollback.
   */
  abstract transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;

  /** Locks the key without waiting, then finds the response that was stored for it less than `lifetimeMs` ago. */
  abstract claim(key: IdempotencyKey, lifetimeMs: number, transaction: Transaction): Promise<Claim>;

  /** The committed response that was stored for the key less than `lifetimeMs` ago. */
  abstract find(key: IdempotencyKey, lifetimeMs: number): Promise<FirstResponse | null>;

  /** Stores the response. It replaces an expired one. */
  abstract save(
    key: IdempotencyKey,
    response: FirstResponse,
    atMs: number,
    transaction: Transaction,
  ): Promise<void>;
}
