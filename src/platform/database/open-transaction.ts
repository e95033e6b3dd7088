/** A transaction as the query runner of an EntityManager sees it. */
export interface OpenTransaction {
  /** @throws Error when the transaction has ended. */
  requireOpen(): void;
  /** Translates an error of the driver into one of this service. */
  translated(error: unknown): unknown;
}
