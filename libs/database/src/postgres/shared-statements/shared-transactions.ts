import { Batcher, inTime, type Transaction } from '@animal-store/kernel';
import { isOfConnection } from '../postgres-errors.js';
import type { PostgresTransaction } from '../postgres-transaction.js';
import { PATIENCE_MS, type Sent, SharedTransaction } from './shared-transaction.js';
import { NotShared, type SharedUnit, type Work } from './shared-unit.js';

/** Bounds the time that one transaction takes, and for how long it locks rows. */
const MAX_UNITS = 100;

type Run = <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;

export interface SharedTransactionsParts {
  /** Runs a unit in a transaction of its own. */
  readonly alone: Run;
  /** Like `alone`, for a unit whose row another transaction has locked. */
  readonly waiting: Run;
  /** Runs `work` in one transaction, once. */
  readonly attempt: <T>(work: (transaction: PostgresTransaction) => Promise<T>) => Promise<T>;
  /** Gets the errors of commit listeners. */
  readonly reportListener: (error: unknown) => void;
  /** How many transactions there may be at once. */
  readonly atOnce: number;
  /** How long a unit may wait for the transactions before it. */
  readonly limitMs: number;
}

interface Unit {
  readonly work: Work;
  /** Whether it has been in a transaction with others. */
  readonly isRetry: boolean;
}

/**
 * Runs units of work together: those that arrive in one turn of the event loop share a transaction with those that
 * arrived while the transactions before it ran (decision 23).
 */
export class SharedTransactions {
  private readonly units: Batcher<Unit, unknown>;
  private readonly lastSteps = new Map<string, Sent>();

  constructor(private readonly parts: SharedTransactionsParts) {
    const { atOnce, limitMs } = parts;
    const bounds = { max: MAX_UNITS, atOnce, limitMs };
    this.units = new Batcher((units: readonly Unit[]) => this.send(units), bounds);
  }

  get waitingCount(): number {
    return this.units.waitingCount;
  }

  /** @throws StorageUnavailable when the unit did not begin in time, or when it is unknown whether it was stored. */
  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.units.add({ work, isRetry: false }) as Promise<T>;
  }

  private async send(units: readonly Unit[]): Promise<readonly Promise<unknown>[]> {
    const { alone, attempt } = this.parts;
    if (units.length === 1) {
      const single = alone(units[0]!.work);
      // The others wait for it only for a while.
      await inTime(PATIENCE_MS, single, 'A single unit of work').catch(() => undefined);
      return [single];
    }
    let shared: readonly SharedUnit[] = [];
    const failure = await attempt(async (transaction) => {
      // The connection had lost its prepared statements. Work that began on it may not have ended.
      if (shared.length > 0) throw new NotShared('Units of work run again, each alone.');
      const works = units.map(({ work }) => work);
      const together = new SharedTransaction(transaction, works, this.lastSteps);
      shared = together.units;
      await together.run();
    }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    return units.map((unit, index) => this.outcome(unit, shared[index], failure));
  }

  private async outcome(
    { work, isRetry }: Unit,
    unit: SharedUnit | undefined,
    failure: { readonly error: unknown } | null,
  ): Promise<unknown> {
    const { alone, waiting, reportListener } = this.parts;
    // A unit that has written may have been refused because of an earlier write, so it runs again alone.
    if (unit?.state === 'refused' && unit.writes.length === 0) throw unit.outcome;
    if (failure && isOfConnection(failure.error)) throw failure.error;
    if (!failure && unit?.state === 'succeeded') {
      unit.committed(reportListener);
      return unit.outcome;
    }
    // Work never runs twice at once.
    await unit?.ended;
    if (!failure && unit?.again === 'waiting') return waiting(work);
    if (!failure && unit?.again === 'together' && !isRetry) return this.units.add({ work, isRetry: true });
    return alone(work);
  }
}
