import { StorageUnavailable } from '@animal-store/kernel';
import { errorCode } from '../error-code.js';
import type { InsertSql, SqlValue } from '../sql-session.js';
import { UniqueViolation } from '../unique-violation.js';

/** Two, so that the rows behind a slow statement need not wait for it. */
const MAX_STATEMENTS = 2;
/** Bounds the time and the memory that one statement takes. */
const MAX_ROWS = 500;
/**
 * The errors that one row can cause: by its data, a constraint, a trigger or a deadlock (PostgreSQL, appendix A). Nothing
 * is stored after them.
 */
const CAUSED_BY_A_ROW = /^(22|23|40001|40P01|44|P0)/;
/** No such operator, a wrong or an unknown type: the text of many rows does not fit the table. Nothing is stored. */
const WRONG_TEXT = /^(42883|42804|42846|42P18)$/;

/** An INSERT that can have many rows. */
export interface InsertOfMany extends InsertSql {
  readonly many: string;
}

export interface InsertedRow {
  readonly id: bigint;
}

/** Runs an INSERT, outside a transaction. */
export type RunInsert = (
  sql: string,
  parameters: readonly (SqlValue | readonly SqlValue[])[],
) => Promise<readonly InsertedRow[]>;

/** What inserts need of the database. */
export interface InsertDatabase {
  /** Waits for a connection that may write, and runs `work` with it. */
  onConnection(work: (run: RunInsert) => Promise<void>): Promise<void>;
  /** Inserts one row in a transaction of its own. */
  insertAlone(statement: InsertSql, values: readonly SqlValue[]): Promise<bigint>;
}

interface WaitingRow {
  readonly values: readonly SqlValue[];
  readonly arrivedAtMs: number;
  readonly resolve: (id: bigint) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Inserts the rows of one statement. Those that arrive in one turn of the event loop become one statement, which commits
 * by itself, together with those that arrived while it waited for a connection or for the statements before it
 * (docs/decisions/0014-insertions-share-a-statement-on-postgresql.md).
 */
export class InsertQueue {
  private readonly waiting: WaitingRow[] = [];
  private statements = 0;
  /** Whether one of the statements has not taken its rows yet. */
  private isGathering = false;
  private timer: NodeJS.Timeout | null = null;
  /** One, after a statement of many rows has failed for a reason that it will have again. */
  private maxRows = MAX_ROWS;

  /** @param limitMs how long a row waits at most until it is sent */
  constructor(
    private readonly statement: InsertOfMany,
    private readonly database: InsertDatabase,
    private readonly limitMs: number,
  ) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** @throws StorageUnavailable when the row was not sent in time, or when it is unknown whether it was stored. */
  insert(values: readonly SqlValue[]): Promise<bigint> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ values, arrivedAtMs: performance.now(), resolve, reject });
      if (!this.timer) this.awaitDeadline();
      this.gather();
    });
  }

  private gather(): void {
    if (this.isGathering || this.statements === MAX_STATEMENTS || this.waiting.length === 0) return;
    this.isGathering = true;
    this.statements++;
    setImmediate(() => void this.send());
  }

  /** Never rejects. */
  private async send(): Promise<void> {
    const beganAtMs = performance.now();
    const rows: WaitingRow[] = [];
    try {
      await this.database.onConnection(async (run) => {
        this.refuseLate();
        rows.push(...this.waiting.splice(0, this.maxRows));
        this.isGathering = false;
        this.gather();
        if (rows.length > 0) await this.store(rows, run);
      });
    } catch (error) {
      if (rows.length === 0) {
        // There was no connection. Rows that arrived meanwhile try again.
        rows.push(...this.removeArrivedBy(beganAtMs));
        this.isGathering = false;
      }
      this.fail(rows, error);
    }
    this.statements--;
    this.gather();
  }

  private async store(rows: readonly WaitingRow[], run: RunInsert): Promise<void> {
    const { single, many } = this.statement;
    const [{ values }] = rows as [WaitingRow];
    const inserted = await (rows.length === 1
      ? run(single, values)
      : run(
          many,
          values.map((_, index) => rows.map((row) => row.values[index]!)),
        ));
    if (!areInOrder(inserted, rows.length)) {
      this.maxRows = 1;
      // The rows are stored, but it is unknown which id belongs to which row.
      const count = rows.length;
      throw new StorageUnavailable(
        `PostgreSQL did not return ${count} ids in ascending order for ${count} rows.`,
      );
    }
    for (let index = 0; index < rows.length; index++) rows[index]!.resolve(inserted[index]!.id);
  }

  private fail(rows: readonly WaitingRow[], error: unknown): void {
    const code = errorCode(error);
    const isWrongText = WRONG_TEXT.test(code);
    if (isWrongText) this.maxRows = 1;
    const isNothingStored = isWrongText || error instanceof UniqueViolation || CAUSED_BY_A_ROW.test(code);
    for (const { values, resolve, reject } of rows) {
      if (isNothingStored) this.database.insertAlone(this.statement, values).then(resolve, reject);
      // After any other error they may have been stored, and nothing is inserted twice.
      else reject(error);
    }
  }

  private awaitDeadline(): void {
    const [oldest] = this.waiting;
    if (!oldest) {
      this.timer = null;
      return;
    }
    const refuse = (): void => {
      this.refuseLate();
      this.awaitDeadline();
    };
    this.timer = setTimeout(refuse, oldest.arrivedAtMs + this.limitMs - performance.now()).unref();
  }

  private refuseLate(): void {
    const late = this.removeArrivedBy(performance.now() - this.limitMs);
    if (late.length === 0) return;
    this.fail(late, new StorageUnavailable(`Rows waited longer than ${this.limitMs} ms for PostgreSQL.`));
  }

  private removeArrivedBy(timeMs: number): WaitingRow[] {
    const next = this.waiting.findIndex(({ arrivedAtMs }) => arrivedAtMs > timeMs);
    return this.waiting.splice(0, next < 0 ? this.waiting.length : next);
  }
}

function areInOrder(inserted: readonly InsertedRow[], count: number): boolean {
  return (
    inserted.length === count &&
    inserted.every(({ id }, index) => index === 0 || id > inserted[index - 1]!.id)
  );
}
