/** The transaction that a TypeORM query runner joins. */
export interface RunningTransaction {
  /** @throws Error when the transaction has ended. */
  requireOpen(): void;
  /** Translates an error of the driver into one of this service. */
  translated(error: unknown): unknown;
}
