/** A running transaction. Use cases only pass it on; adapters in `infrastructure/` know what is inside. */
export abstract class Transaction {
  private readonly listeners: (() => void)[] = [];

  /** Calls `listener` when the transaction is committed, before anyone hears of it; never when it fails. */
  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** For whoever runs the transaction. */
  committed(): void {
    for (const listener of this.listeners) listener();
    // So that nothing the listeners know lives as long as the list may (docs/decisions/0010).
    this.listeners.length = 0;
  }
}

/** Runs several writes as one: all of them are kept, or none. */
export abstract class UnitOfWork {
  /**
   * Runs `work` in a transaction of its own and resolves after the commit; when `work` rejects, nothing it wrote is
   * kept. With `within`, or inside `enclose`, `work` becomes part of that transaction and shares its fate.
   * `work` must await nothing but the database: on the embedded database every other write waits for it. It must have no
   * other effect, as it may be run again after a rollback, for a deadlock or because another write of its turn failed;
   * `onCommit` is for everything else.
   * @throws StorageUnavailable when the database cannot be reached.
   */
  run<T>(
    work: (transaction: Transaction) => Promise<T>,
    within: Transaction | null = this.enclosing(),
  ): Promise<T> {
    return within ? work(within) : this.begin(work);
  }

  /**
   * As `run`; and every other unit of work that `work` runs, however deep and without being told, becomes part of the
   * same transaction. For what surrounds use cases: those that call one another pass the transaction on.
   */
  abstract enclose<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;

  /** The transaction that encloses the caller, or null. */
  protected abstract enclosing(): Transaction | null;

  protected abstract begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}
