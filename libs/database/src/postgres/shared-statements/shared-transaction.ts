import { grouped } from '../../statements/grouped-statement.js';
import type { SelectSql, SqlValue } from '../../sql-session.js';
import type { InsertedRow, PostgresTransaction } from '../postgres-transaction.js';
import { foundByEach } from './grouped-reads.js';
import { type Call, type Calls, SharedUnit, type Step, type Work, type Write } from './shared-unit.js';

type Row = Record<string, unknown>;

/** The statements that units sent together, and those that followed. */
export interface Sent {
  readonly text: string;
  readonly unitCount: number;
  /** The ids that the units drew next, by their sequence. */
  readonly needs: ReadonlyMap<string, number>;
}

/** Longer than a unit computes. One that waits for anything else must not delay the others. */
export const PATIENCE_MS = 100;

const FOR_UPDATE = ' FOR UPDATE';
/** The step before the first statement. */
const BEGINNING = '';

/**
 * A transaction of PostgreSQL that several units of work share (decision 23). They advance in step: when each of them
 * waits or has ended, what they request is sent in one round trip, and equal statements as one. What they write is sent
 * when all have ended, so none reads what another one writes, and no row belongs to two of them.
 */
export class SharedTransaction implements Calls {
  readonly units: readonly SharedUnit[];
  private calls: Call[] = [];
  /** The calls of the last round trip. */
  private sent: readonly Call[] = [];
  private readonly owners = new Map<string, SharedUnit>();
  /** What calls have found that wait for the owner of their row. */
  private pending: { readonly call: Call; readonly found: unknown }[] = [];
  /** Ids of the last round trip that no unit has used, by their sequence. */
  private readonly drawn = new Map<string, bigint[]>();
  /** The statements of the last round trip. */
  private readonly steps: Sent[] = [];
  private wake: () => void = () => undefined;
  /** The place of a unit that may be busy. */
  private busy = 0;

  constructor(
    private readonly transaction: PostgresTransaction,
    private readonly works: readonly Work[],
    /** The last one of each text, of earlier transactions too. */
    private readonly lastSteps: Map<string, Sent>,
  ) {
    this.units = works.map(() => new SharedUnit(this));
  }

  /**
   * Runs the units. What they write is sent with the COMMIT.
   * @throws the error of a statement: each unit needs a transaction of its own then
   */
  async run(): Promise<void> {
    try {
      await this.drawAhead([[BEGINNING, this.units]]);
      for (const [index, unit] of this.units.entries()) unit.start(this.works[index]!);
      for (await this.allWait(); this.calls.length > 0; await this.allWait()) await this.send();
      this.storeSteps();
      await this.sendWrites();
    } catch (error) {
      // First, as none of them may treat the error as its own.
      for (const unit of this.units) unit.expel('alone');
      const pending = this.pending.splice(0).map(({ call }) => call);
      for (const { reject } of [...this.sent, ...pending, ...this.calls.splice(0)]) reject(error);
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

  claim(unit: SharedUnit, row: string): boolean {
    const owner = this.owners.get(row);
    // A unit that ended without a write has left its rows as they were.
    if (owner && owner !== unit && (owner.state === 'running' || owner.isWriter)) return false;
    this.owners.set(row, unit);
    return true;
  }

  changed(): void {
    if (this.areAllWaiting()) this.wake();
  }

  /** Continues at the unit that was busy before, as each of many units calls it. */
  private areAllWaiting(): boolean {
    const { length } = this.units;
    for (let seen = 0; seen < length; seen++) {
      if (this.units[this.busy]!.isBusy) return false;
      this.busy = (this.busy + 1) % length;
    }
    return true;
  }

  private async allWait(): Promise<void> {
    do {
      while (!this.areAllWaiting()) await this.untilAllWait();
      // The results of such a unit are not needed.
      const hasFailed = ({ unit: { state } }: Call) => state === 'refused' || state === 'expelled';
      for (const call of this.calls) if (hasFailed(call)) call.reject(call.unit.expel('alone'));
      this.calls = this.calls.filter((call) => !hasFailed(call));
    } while (this.release());
  }

  /** Resolves when all units wait or have ended, without those that exceed `PATIENCE_MS`. */
  private async untilAllWait(): Promise<void> {
    const expelLate = () => {
      for (const unit of this.units) if (unit.isBusy) unit.expelLate();
      this.wake();
    };
    const timer = setTimeout(expelLate, PATIENCE_MS);
    // Without a closure around it, which V8 would let outlive the transaction, with all its units.
    await new Promise<void>((resolve) => (this.wake = resolve));
    clearTimeout(timer);
  }

  /** Delivers the rows of ended units to those that wait for them. @returns whether one continues */
  private release(): boolean {
    const { length } = this.pending;
    const haveAllResponded = this.calls.length === 0;
    this.pending = this.pending.filter(({ call, found }) => !this.deliver(call, found));
    if (this.pending.length < length || !haveAllResponded) return this.pending.length < length;
    // Their owners write, or wait for one another.
    for (const { call } of this.pending.splice(0)) call.reject(call.unit.expel('together'));
    return length > 0;
  }

  private deliver(call: Call, found: unknown): boolean {
    if (call.select !== null && !this.claim(call.unit, call.row)) return false;
    call.unit.deliver(call, found);
    return true;
  }

  private async send(): Promise<void> {
    this.storeSteps();
    this.drawn.clear();
    this.sent = this.calls.splice(0);
    const groups = inStep(this.sent);
    // Sent in one turn, to share a round trip. The ids come after the locks, so that those of what is inserted for
    // a row are in the order of its changes.
    const finding = groups.map((calls) => this.find(calls));
    const steps = groups
      .filter(([first]) => first!.select !== null)
      .map((calls) => [calls[0]!.text, calls.map(({ unit }) => unit)] as const);
    const [found] = await Promise.all([Promise.all(finding), this.drawAhead(steps)]);
    const isLocked = await this.lockedElsewhere(groups, found);
    for (const [place, calls] of groups.entries())
      for (const [index, call] of calls.entries()) {
        const result = found[place]![index];
        if (isLocked.has(call)) call.reject(call.unit.expel('waiting'));
        else if (!this.deliver(call, result)) this.pending.push({ call, found: result });
      }
  }

  /** Those of the calls without a result whose row another transaction has locked. */
  private async lockedElsewhere(
    groups: readonly Call[][],
    found: readonly (readonly unknown[])[],
  ): Promise<ReadonlySet<Call>> {
    const missed = groups.map((calls, place) =>
      calls.filter(({ select }, index) => select?.isLocking && (found[place]![index] as Row[]).length === 0),
    );
    const looking = missed
      .filter(({ length }) => length > 0)
      .map(async (calls) => {
        const { sql, groupable } = calls[0]!.select!;
        const rows = await this.select({ sql: sql.slice(0, -FOR_UPDATE.length), groupable }, calls);
        return calls.filter((_, index) => rows[index]!.length > 0);
      });
    return new Set((await Promise.all(looking)).flat());
  }

  private storeSteps(): void {
    for (const step of this.steps.splice(0)) this.lastSteps.set(step.text, step);
  }

  /** Draws the ids that units will need after a step, if they do as those before them, so none draws its own. */
  private async drawAhead(
    next: readonly (readonly [step: string, units: readonly SharedUnit[]])[],
  ): Promise<void> {
    const counts = new Map<string, number>();
    for (const [text, units] of next) {
      const step = { text, unitCount: units.length, needs: new Map<string, number>() };
      this.steps.push(step);
      for (const unit of units) unit.needs = step.needs;
      const { unitCount, needs } = this.lastSteps.get(text) ?? step;
      for (const [draw, count] of needs)
        // Before the first statement, drawing is a round trip of its own, so it must be for what every unit needs.
        if (text !== BEGINNING || count >= unitCount)
          counts.set(draw, (counts.get(draw) ?? 0) + Math.ceil((count * units.length) / unitCount));
    }
    const draws = [...counts].map(async ([draw, count]) =>
      this.drawn.set(draw, await this.draw(draw, count)),
    );
    await Promise.all(draws);
  }

  private async draw(text: string, count: number): Promise<bigint[]> {
    return (await this.transaction.query<InsertedRow>(text, [count])).map(({ id }) => id);
  }

  private find(calls: readonly Call[]): Promise<readonly unknown[]> {
    const { text, select } = calls[0]!;
    if (select === null) return this.draw(text, calls.length);
    // Waiting for a row that another transaction has locked would delay the other units.
    const { isLocking, groupable } = select;
    return this.select({ sql: isLocking ? `${text} SKIP LOCKED` : text, groupable }, calls);
  }

  private async select(
    { sql, groupable }: Pick<SelectSql, 'sql' | 'groupable'>,
    calls: readonly Call[],
  ): Promise<Row[][]> {
    const group =
      calls.length > 1
        ? grouped(
            { sql, groupable },
            calls.map(({ values }) => values),
          )
        : null;
    if (group === null)
      return Promise.all(calls.map(({ values }) => this.transaction.query<Row>(sql, values)));
    const found = foundByEach(await this.transaction.readTexts(group.sql, group.values), calls.length);
    return found.map((each) => each.rows());
  }

  private async sendWrites(): Promise<void> {
    const writers = this.units.filter(({ state }) => state === 'succeeded');
    const groups = inStep(writers.flatMap(({ writes }) => writes));
    await Promise.all(groups.flatMap((writes) => this.write(writes)));
  }

  private write(writes: readonly Write[]): Promise<void>[] {
    const { text: single, many, values } = writes[0]!;
    const { transaction } = this;
    if (writes.length === 1 || many === null)
      return writes.map((write) => transaction.execute({ single, many }, write.values));
    const columns = values.map((_, index) => writes.map((write) => write.values[index]!));
    return [transaction.execute({ single: many, many }, columns as unknown as SqlValue[])];
  }
}

/**
 * Equal steps of several units become one statement. A unit is in a statement once, after the statements of its earlier
 * steps.
 */
function inStep<S extends Step>(steps: readonly S[]): S[][] {
  const groups: S[][] = [];
  const places = new Map<SharedUnit, number>();
  for (const step of steps) {
    const after = places.get(step.unit) ?? -1;
    let place = groups.findIndex(([first], index) => index > after && first!.text === step.text);
    if (place < 0) place = groups.push([]) - 1;
    groups[place]!.push(step);
    places.set(step.unit, place);
  }
  return groups;
}
