/** What TypeORM's query runner is told of the transaction that it becomes a part of. */
export interface RunningTransaction {
  /** @throws Error when the transaction has ended. */
  requireOpen(): void;
  /** The error as this service knows it. */
  translated(error: unknown): unknown;
}
