import { groupedSql, groupedTypeOf } from '../../statements/grouped-statement.js';
import type { SelectSql, SqlValue } from '../../sql-session.js';
import type { InsertedRow, PostgresTransaction } from '../postgres-transaction.js';
import { foundByEach } from './grouped-reads.js';
import { type Call, type Calls, NotShared, SharedUnit, type Work } from './shared-unit.js';

type Row = Record<string, unknown>;

/** Calls of units that were sent as one statement. */
export interface Step {
  readonly text: string;
  readonly unitCount: number;
  /** The ids that the units asked for next, by what draws them. */
  readonly needs: ReadonlyMap<string, number>;
}

/** Longer than a unit computes. One that waits for anything but its statements must not hold up the others. */
export const PATIENCE_MS = 100;

/**
 * A transaction of PostgreSQL that several units of work share (decision 23). They advance in step: when each of them
 * waits or has ended, what they ask for is sent in one round trip, and equal statements as one.
 */
export class SharedTransaction implements Calls {
  readonly units: readonly SharedUnit[];
  private calls: Call[] = [];
  /** Those of the last round trip. */
  private sent: readonly Call[] = [];
  /** Which unit has locked, or read as its own, the rows of which statement and values. */
  private readonly owners = new Map<string, SharedUnit>();
  /** Ids of the last round trip that no unit has asked for yet, by what has drawn them. */
  private readonly drawn = new Map<string, bigint[]>();
  /** The steps of the last round trip. */
  private readonly steps: Step[] = [];
  private drawing = Promise.resolve();
  private wake: () => void = () => undefined;

  constructor(
    private readonly transaction: PostgresTransaction,
    private readonly works: readonly Work[],
    /** The last one of each text, of earlier transactions too. */
    private readonly lastSteps: Map<string, Step>,
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
      // First, as none of them may take the error for its own.
      for (const unit of this.units) unit.expel();
      for (const { reject } of [...this.sent, ...this.calls.splice(0)]) reject(error);
      throw error;
    }
  }

  add(call: Call): void {
    this.calls.push(call);
  }

  drawnId({ needs }: SharedUnit, draw: string): bigint | undefined {
    needs.set(draw, (needs.get(draw) ?? 0) + 1);
    return this.drawn.get(draw)?.shift();
  }

  isOwn(unit: SharedUnit, { sql }: SelectSql, values: readonly SqlValue[]): boolean {
    const key = `${sql} ${values.join(' ')}`;
    if (!this.owners.has(key)) this.owners.set(key, unit);
    return this.owners.get(key) === unit;
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
    for (const step of this.steps.splice(0)) this.lastSteps.set(step.text, step);
    this.drawn.clear();
    this.sent = this.calls.splice(0);
    const groups = inStep(this.sent);
    // In one turn, so that they share a round trip.
    const sending = groups.map((group) => this.sendGroup(group));
    // Behind the locks, so that the ids of what is inserted for a row are in the order of its changes.
    this.drawing = this.drawAhead(groups);
    await Promise.all([this.drawing, ...sending]);
  }

  /** Draws the ids that the units will need if they go on like those before them, which saves a round trip. */
  private async drawAhead(groups: readonly Call[][]): Promise<void> {
    const counts = new Map<string, number>();
    for (const calls of groups) {
      const [{ kind, text }, { length }] = [calls[0]!, calls];
      if (kind === 'draw' || kind === 'write') continue;
      const step = { text, unitCount: length, needs: new Map<string, number>() };
      this.steps.push(step);
      for (const { unit } of calls) unit.needs = step.needs;
      const { unitCount, needs } = this.lastSteps.get(text) ?? step;
      for (const [draw, count] of needs)
        counts.set(draw, (counts.get(draw) ?? 0) + Math.ceil((count * length) / unitCount));
    }
    const draws = [...counts].map(async ([draw, count]) =>
      this.drawn.set(draw, await this.draw(draw, count)),
    );
    await Promise.all(draws);
  }

  private async draw(text: string, count: number): Promise<bigint[]> {
    return (await this.transaction.query<InsertedRow>(text, [count])).map(({ id }) => id);
  }

  private async sendGroup(calls: readonly Call[]): Promise<void> {
    const results = await this.resultsOf(calls);
    await this.drawing;
    for (const [index, call] of calls.entries()) {
      const result = results[index];
      // Another transaction may have locked a row that was not found.
      if (call.kind === 'lock' && (result as Row[]).length !== 1) call.reject(call.unit.notShared());
      else call.resolve(result as never);
    }
  }

  private resultsOf(calls: readonly Call[]): Promise<readonly unknown[]> {
    const { kind, text, many, select } = calls[0]!;
    if (kind === 'draw') return this.draw(text, calls.length);
    for (const { unit } of calls) unit.hasWritten ||= kind === 'write';
    if (calls.length > 1 && select?.groupable) return this.selectTogether(calls, select);
    if (select) return Promise.all(calls.map((call) => this.select(call)));
    const sql = { single: text, many };
    if (calls.length === 1 || many === null)
      return Promise.all(calls.map(({ values }) => this.transaction.execute(sql, values)));
    const columns = calls[0]!.values.map((_, index) => calls.map(({ values }) => values[index]!));
    return this.transaction.execute({ single: many, many }, columns as never).then(() => calls);
  }

  private async selectTogether(calls: readonly Call[], statement: SelectSql): Promise<Row[][]> {
    const types = calls[0]!.values.map(groupedTypeOf);
    const isUniform = ({ values }: Call) =>
      values.every((value, index) => types[index] !== null && groupedTypeOf(value) === types[index]);
    if (!calls.every(isUniform)) return Promise.all(calls.map((call) => this.select(call)));
    const { groupable } = statement;
    const columns = types.map((_, index) => calls.map(({ values }) => values[index]!));
    const text = groupedSql({ sql: skippingLocked(statement), groupable }, types as string[]);
    const found = foundByEach(await this.transaction.readTexts(text, columns), calls.length);
    return found.map((each) => each.rows());
  }

  private select({ select, values }: Call): Promise<Row[]> {
    return this.transaction.query<Row>(skippingLocked(select!), values);
  }
}

/** Without the rows that another transaction has locked: waiting for them would hold up the other units. */
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
