import { Batcher, inTime, type Transaction } from '@animal-store/kernel';
import { isOfConnection } from '../postgres-errors.js';
import type { PostgresTransaction } from '../postgres-transaction.js';
import { PATIENCE_MS, SharedTransaction, type Step } from './shared-transaction.js';
import { NotShared, type SharedUnit, type Work } from './shared-unit.js';

/** Of the five connections that the default pool has for writes, one is for everything else. */
const MAX_TRANSACTIONS = 4;
/** How long a unit waits for a transaction under way before another one begins beside it. */
const GATHERING_MS = 10;
/** Bounds the time that one transaction takes, and for how long it holds its locks. */
const MAX_UNITS = 100;

export interface SharedTransactionsParts {
  /** Runs a unit in a transaction of its own. */
  readonly alone: <T>(work: (transaction: Transaction) => Promise<T>) => Promise<T>;
  /** Runs `work` in one transaction, once. */
  readonly attempt: <T>(work: (transaction: PostgresTransaction) => Promise<T>) => Promise<T>;
  /** Gets the errors of commit listeners. */
  readonly reportListener: (error: unknown) => void;
  /** How long a unit may wait for the transactions before it. */
  readonly limitMs: number;
}

/**
 * Runs units of work together: those that arrive in one turn of the event loop share a transaction with those that arrived
 * while the transactions before it ran (decision 23).
 */
export class SharedTransactions {
  private readonly works: Batcher<Work, unknown>;
  private readonly lastSteps = new Map<string, Step>();

  constructor(private readonly parts: SharedTransactionsParts) {
    const bounds = { max: MAX_UNITS, atOnce: MAX_TRANSACTIONS, patienceMs: GATHERING_MS };
    this.works = new Batcher((works) => this.send(works), { ...bounds, limitMs: parts.limitMs });
  }

  get waitingCount(): number {
    return this.works.waitingCount;
  }

  /** @throws StorageUnavailable when the unit did not begin in time, or when it is unknown whether it was stored. */
  run<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.works.add(work) as Promise<T>;
  }

  private async send(works: readonly Work[]): Promise<readonly Promise<unknown>[]> {
    const { alone, attempt, reportListener } = this.parts;
    if (works.length === 1) {
      const [single] = works.map(alone);
      // It may wait for a row for long. The others gather behind it only for a while.
      await inTime(PATIENCE_MS, single!, 'A single unit of work').catch(() => undefined);
      return [single!];
    }
    let units: readonly SharedUnit[] = [];
    const failure = await attempt(async (transaction) => {
      // The connection had lost its prepared statements. Work that began on it may not have ended.
      if (units.length > 0) throw new NotShared('Units of work run again, each alone.');
      const shared = new SharedTransaction(transaction, works, this.lastSteps);
      ({ units } = shared);
      await shared.run();
    }).then(
      () => null,
      (error: unknown) => ({ error }),
    );
    return works.map(async (work, index) => {
      const unit = units[index];
      // Without a write of its own, its error is its own too.
      if (unit?.state === 'refused' && !unit.hasWritten) throw unit.outcome;
      if (failure && isOfConnection(failure.error)) throw failure.error;
      if (failure || unit?.state !== 'succeeded') {
        // Work never runs twice at once.
        await unit?.ended;
        return alone(work);
      }
      unit.committed(reportListener);
      return unit.outcome;
    });
  }
}
