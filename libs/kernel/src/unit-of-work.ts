/** A running transaction. Use cases only pass it on; repositories run their statements in it. */
export abstract class Transaction {
  private readonly listeners: (() => void)[] = [];

  /**
   * Calls `listener` when the transaction is committed, before `run` resolves. It is not called when the transaction
   * fails. It must not throw, as nothing can be undone any more: an error is logged, and changes nothing for the caller
   * of `run` or for other listeners.
   */
  onCommit(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Called by the database after the commit. Each error of a listener goes to `report`. */
  committed(report: (error: unknown) => void): void {
    for (const listener of this.listeners) {
      try {
        listener();
      } catch (error) {
        report(error);
      }
    }
    // Releases the listeners and what they reference (decision 9).
    this.listeners.length = 0;
  }
}

/** Runs several writes as one transaction: all of them are stored, or none. */
export abstract class UnitOfWork {
  /**
   * Runs `work` in a new transaction and resolves after the commit. When `work` rejects, nothing that it wrote is
   * stored. With `within`, or inside `enclose`, `work` becomes part of that transaction.
   *
   * `work` must await only the database, as on SQLite every other write waits for it. It passes the
   * transaction to every write in it. It must have no other effect, as it may be run again after a rollback, because of
   * a deadlock or of a write that failed. Use `onCommit` for other effects.
   * @throws StorageUnavailable when the database cannot be reached.
   * @throws TypeError on SQLite for a write in `work` that is not given the transaction.
   * @throws Error when `work` leaves the transaction idle for three seconds; it is rolled back.
   */
  run<T>(
    work: (transaction: Transaction) => Promise<T>,
    within: Transaction | null = this.enclosing(),
  ): Promise<T> {
    return within ? work(within) : this.begin(work);
  }

  /**
   * Like `run`, but every unit of work that `work` starts, at any depth, becomes part of the same transaction without
   * being passed it. It is for code around use cases. Use cases that call each other pass the transaction.
   */
  abstract enclose<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;

  /**
   * The same for work that no request waits for and that is repeated when it is lost: on SQLite it has a lower priority
   * than requests, and its commits do not wait for the disk. On PostgreSQL it never shares a transaction.
   */
  abstract readonly deferred: Pick<UnitOfWork, 'run'>;

  /** The transaction that encloses the caller, or null. */
  abstract enclosing(): Transaction | null;

  protected abstract begin<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
}

/** Something that has happened. It is stored as JSON, so its fields have values of JSON, or are bigints. */
export interface DomainEvent {
  /** Such as `order.placed`. */
  readonly name: string;
}

/** A class of events with one name, each about one object. */
export interface EventClass<Subject> {
  readonly event: string;
  new (subject: Subject): DomainEvent;
}

/** Stores events in the transactions that cause them. What is to be done about an event happens after the commit. */
export abstract class Outbox {
  /** Stores the jobs of the event. Without a handler it does nothing. */
  abstract add(event: DomainEvent, transaction: Transaction): Promise<void>;

  /**
   * Like `UnitOfWork.run`, for `work` whose only event is about what it resolves with. While nothing uses such events,
   * `work` gets `within` as it is, so what it inserts commits by itself.
   */
  abstract run<T>(
    Event: EventClass<T>,
    work: (transaction: Transaction | undefined) => Promise<T>,
    within?: Transaction,
  ): Promise<T>;
}
