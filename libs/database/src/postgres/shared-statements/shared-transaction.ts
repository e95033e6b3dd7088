import { groupedSql, groupedTypeOf } from '../../statements/grouped-statement.js';
import type { SelectSql, SqlValue } from '../../sql-session.js';
import type { PostgresTransaction } from '../postgres-transaction.js';
import { areInOrder } from './insert-queue.js';
import { type Call, type Calls, NotShared, SharedUnit, type Work } from './shared-unit.js';

type Row = Record<string, unknown>;

/** Longer than a unit computes. One that waits for anything but its statements must not hold up the others. */
const PATIENCE_MS = 100;

/**
 * A transaction of PostgreSQL that several units of work share (decision 23). They advance in step: when each of them
 * waits or has ended, what they ask for is sent in one round trip, and equal statements as one.
 */
export class SharedTransaction implements Calls {
  readonly units: readonly SharedUnit[];
  private calls: Call[] = [];
  /** Which unit has locked, or read as its own, the rows of which statement and values. */
  private readonly owners = new Map<string, SharedUnit>();
  private wake: () => void = () => undefined;

  constructor(
    private readonly transaction: PostgresTransaction,
    private readonly works: readonly Work[],
  ) {
    this.units = works.map(() => new SharedUnit(this));
  }

  /**
   * Runs the units. What they write last is sent with the COMMIT.
   * @throws NotShared when a unit failed after it had written, and the error of a statement: each unit needs a
   *   transaction of its own then
   */
  async run(): Promise<void> {
    for (const [index, unit] of this.units.entries()) unit.start(this.works[index]!);
    try {
      for (await this.allWait(); this.calls.some(({ kind }) => kind !== 'write'); await this.allWait())
        await this.send();
      await this.send();
    } catch (error) {
      this.expelAll();
      for (const { reject } of this.calls.splice(0)) reject(error);
      throw error;
    }
  }

  add(call: Call): void {
    this.calls.push(call);
  }

  requireOwn(unit: SharedUnit, { sql }: SelectSql, values: readonly SqlValue[]): void {
    const key = `${sql} ${values.join(' ')}`;
    const owner = this.owners.get(key) ?? unit;
    if (owner !== unit) throw new NotShared('Another unit of work has locked or read the same rows.');
    this.owners.set(key, unit);
  }

  changed(): void {
    if (this.areAllWaiting()) this.wake();
  }

  private areAllWaiting(): boolean {
    return this.units.every(({ isWaiting, state }) => isWaiting || state !== 'running');
  }

  private async allWait(): Promise<void> {
    while (!this.areAllWaiting()) await this.becomeWaiting();
    if (this.units.some((unit) => unit.hasWritten && hasFailed(unit)))
      throw new NotShared('A unit of work failed after it had written.');
    // What such a unit has not sent must not be stored.
    for (const { unit, reject } of this.calls) if (hasFailed(unit)) reject(unit.notShared());
    this.calls = this.calls.filter(({ unit }) => !hasFailed(unit));
  }

  /** Resolves when all units wait or have ended, without those that take long. */
  private becomeWaiting(): Promise<void> {
    return new Promise((resolve) => {
      const leaveLate = () => {
        for (const unit of this.units) if (!unit.isWaiting && unit.state === 'running') unit.leave();
        this.wake();
      };
      const timer = setTimeout(leaveLate, PATIENCE_MS);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private async send(): Promise<void> {
    const groups = inStep(this.calls.splice(0));
    // In one turn, so that they share a round trip.
    await Promise.all(groups.map((group) => this.sendGroup(group)));
  }

  private async sendGroup(calls: readonly Call[]): Promise<void> {
    try {
      const results = await this.resultsOf(calls);
      for (const [index, call] of calls.entries()) {
        const result = results[index];
        // Another transaction may have locked the row that was not found.
        if (call.kind === 'lock' && (result as Row[]).length === 0) call.reject(call.unit.notShared());
        else call.resolve(result as never);
      }
    } catch (error) {
      // First, as none of them may take the error for its own.
      this.expelAll();
      for (const { reject } of calls) reject(error);
      throw error;
    }
  }

  private expelAll(): void {
    for (const unit of this.units) unit.expel();
  }

  private resultsOf(calls: readonly Call[]): Promise<readonly unknown[]> {
    const { kind, many, select } = calls[0]!;
    for (const { unit } of calls) unit.hasWritten ||= kind === 'insert' || kind === 'write';
    if (calls.length === 1 || (many === null && !select?.groupable)) return this.eachOf(calls);
    if (select) return this.selectTogether(calls, select);
    const columns = calls[0]!.values.map((_, index) => calls.map(({ values }) => values[index]!));
    if (kind === 'insert') return this.idsOf(many!, columns);
    return this.transaction.execute({ single: many!, many }, columns as never).then(() => calls);
  }

  private eachOf(calls: readonly Call[]): Promise<readonly unknown[]> {
    return Promise.all(
      calls.map((call) => {
        const { kind, select, text, many, values } = call;
        const sql = { single: text, many };
        if (select) return this.select(call);
        return kind === 'insert'
          ? this.transaction.insert(sql, values)
          : this.transaction.execute(sql, values);
      }),
    );
  }

  private async idsOf(many: string, columns: readonly SqlValue[][]): Promise<bigint[]> {
    const count = columns[0]!.length;
    const ids = (await this.transaction.query<{ id: bigint }>(many, columns as never)).map(({ id }) => id);
    if (areInOrder(ids, count)) return ids;
    throw new NotShared(`PostgreSQL did not return ${count} ids in ascending order.`);
  }

  private async selectTogether(calls: readonly Call[], statement: SelectSql): Promise<Row[][]> {
    const types = calls[0]!.values.map(groupedTypeOf);
    const isUniform = ({ values }: Call) =>
      values.every((value, index) => types[index] !== null && groupedTypeOf(value) === types[index]);
    if (!calls.every(isUniform)) return Promise.all(calls.map((call) => this.select(call)));
    const { groupable } = statement;
    const columns = types.map((_, index) => calls.map(({ values }) => values[index]!));
    const text = groupedSql({ sql: skippingLocked(statement), groupable }, types as string[]);
    const found = calls.map((): Row[] => []);
    for (const line of (await this.transaction.lines(text, columns as never)) as [number, ...unknown[]][]) {
      const row: Row = {};
      for (const [index, name] of groupable!.names.entries()) row[name] = line[index + 1];
      found[line[0] - 1]!.push(row);
    }
    return found;
  }

  private select({ select, values }: Call): Promise<Row[]> {
    return this.transaction.query<Row>(skippingLocked(select!), values);
  }
}

/**
 * Without the rows that another transaction has locked: waiting for them would hold up the other units. The text of a SELECT
 * that locks rows ends with FOR UPDATE.
 */
function skippingLocked({ sql, isLocking }: SelectSql): string {
  return isLocking ? `${sql} SKIP LOCKED` : sql;
}

/**
 * Equal calls of several units become one statement. A unit is in a statement once, behind the statements of its earlier
 * calls.
 */
function inStep(calls: readonly Call[]): Call[][] {
  const groups: Call[][] = [];
  const places = new Map<SharedUnit, number>();
  for (const call of calls) {
    const after = places.get(call.unit) ?? -1;
    let place = groups.findIndex(([first], index) => index > after && first!.text === call.text);
    if (place < 0) place = groups.push([]) - 1;
    groups[place]!.push(call);
    places.set(call.unit, place);
  }
  return groups;
}

function hasFailed({ state }: SharedUnit): boolean {
  return state === 'refused' || state === 'alone';
}
