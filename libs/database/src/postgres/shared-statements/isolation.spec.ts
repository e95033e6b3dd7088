import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { Column, Entity, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import type { Database } from '../../database.js';
import { UniqueViolation } from '../../driver-errors.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import { tablesOf } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';

@Entity({ name: 'boxes' })
class BoxRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  content: string;
}

@Entity({ name: 'labels' })
class LabelRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  text: string;
}

const tables = tablesOf(
  [BoxRecord, LabelRecord],
  'CREATE TABLE boxes (id bigint PRIMARY KEY, name text NOT NULL UNIQUE, content text NOT NULL)',
  'CREATE TABLE labels (id IDENTITY, text text NOT NULL UNIQUE)',
);

const ROUNDS = Number(process.env['FUZZ_RUNS'] ?? 150);
/** The last one does not exist. */
const IDS = [1n, 2n, 3n] as const;

class Refused extends Error {}

type Step =
  | { readonly does: 'lock' | 'lockByName' | 'change' | 'remove'; readonly id: bigint }
  | { readonly does: 'lockSeveral'; readonly ids: readonly bigint[] }
  | { readonly does: 'insert'; readonly label: number }
  | { readonly does: 'refuse' };

interface Unit {
  readonly steps: readonly Step[];
  readonly isEnclosed: boolean;
  /** Of two replicas. */
  readonly replica: 0 | 1;
  readonly turns: number;
}

/** What units change, and a model of them that runs one after the other. */
interface Boxes {
  readonly contents: ReadonlyMap<bigint, string>;
  readonly labels: ReadonlySet<string>;
}

describeOnPostgres('Units of work at the same time', () => {
  const postgres = NewPostgres.forEachTest(tables);
  let replica: Database;
  let statements: readonly ReturnType<typeof build>[];

  beforeEach(async () => {
    replica = await postgres.openAnother();
    statements = [build(postgres.database), build(replica)];
  });

  afterEach(() => replica.close());

  function build(database: Database) {
    const boxes = database.statements(BoxRecord, 'box');
    const labels = database.statements(LabelRecord, 'label');
    return {
      lock: boxes.select<Pick<BoxRecord, 'id'>>((box) =>
        box.where('box.id = :id').setLock('pessimistic_write'),
      ),
      lockByName: boxes.select<Pick<BoxRecord, 'name'>>((box) =>
        box.where('box.name = :name').setLock('pessimistic_write'),
      ),
      lockSeveral: boxes.select<{ ids: readonly bigint[] }>((box) =>
        box.where('box.id IN (:...ids)').orderBy('box.id').setLock('pessimistic_write'),
      ),
      change: boxes.update(['content'], { equal: ['id'] }),
      remove: boxes.delete({ equal: ['id'] }),
      insert: labels.insert(),
    };
  }

  async function stored(): Promise<Boxes> {
    const boxes = await postgres.other.query<{ id: string; content: string }>('SELECT * FROM boxes');
    const labels = await postgres.other.query<{ text: string }>('SELECT text FROM labels');
    return {
      contents: new Map(boxes.rows.map(({ id, content }) => [BigInt(id), content])),
      labels: new Set(labels.rows.map(({ text }) => text)),
    };
  }

  async function fill(): Promise<void> {
    const values = IDS.slice(0, -1).map((id) => `(${id}, 'box ${id}', 'empty')`);
    await postgres.other.query(
      `DELETE FROM labels; DELETE FROM boxes; INSERT INTO boxes VALUES ${values.join()}`,
    );
  }

  /** Resolves with what it has seen, and how it ended. */
  async function run({ steps, isEnclosed, replica: place }: Unit, number: number): Promise<string> {
    const database = [postgres.database, replica][place]!;
    let seen: string[] = [];
    const work = async (transaction: Transaction) => {
      seen = [];
      for (const step of steps) await take(step, { number, seen, transaction, by: statements[place]! });
    };
    try {
      await (isEnclosed ? database.enclose(() => database.run(work)) : database.run(work));
      return ended(seen, 'stored');
    } catch (error) {
      if (error instanceof Refused) return ended(seen, 'refused');
      if (error instanceof UniqueViolation) return 'violated';
      // Deadlocked again and again.
      if (error instanceof StorageUnavailable) return 'unavailable';
      throw error;
    }
  }

  async function take(
    step: Step,
    given: { number: number; seen: string[]; transaction: Transaction; by: (typeof statements)[number] },
  ): Promise<void> {
    const { number, seen, transaction, by } = given;
    if (step.does === 'refuse') throw new Refused();
    if (step.does === 'insert') await by.insert.execute({ text: `label ${step.label}` }, transaction);
    else if (step.does === 'change')
      await by.change.execute({ id: step.id, content: contentOf(number, seen) }, transaction);
    else if (step.does === 'remove') await by.remove.execute({ id: step.id }, transaction);
    else if (step.does === 'lockSeveral')
      for (const { content } of await by.lockSeveral.getMany({ ids: step.ids }, transaction))
        seen.push(content);
    else {
      const { id } = step;
      const box = await (step.does === 'lock'
        ? by.lock.getOne({ id }, transaction)
        : by.lockByName.getOne({ name: `box ${id}` }, transaction));
      seen.push(box?.content ?? 'no box');
    }
  }

  /** Whether the units may have run one after the other, in some order. */
  function isSerial(
    units: readonly Unit[],
    outcomes: readonly string[],
    before: Boxes,
    after: Boxes,
  ): boolean {
    const left = outcomes.flatMap((outcome, number) => (outcome === 'unavailable' ? [] : [number]));
    const search = (boxes: Boxes, rest: readonly number[]): boolean => {
      if (rest.length === 0) return isSame(boxes, after);
      return rest.some((number) => {
        const { outcome, boxes: next } = model(units[number]!, number, boxes);
        return (
          outcome === outcomes[number] &&
          search(
            next,
            rest.filter((other) => other !== number),
          )
        );
      });
    };
    return search(before, left);
  }

  function model({ steps }: Unit, number: number, boxes: Boxes): { outcome: string; boxes: Boxes } {
    const contents = new Map(boxes.contents);
    const labels = new Set(boxes.labels);
    const seen: string[] = [];
    for (const step of steps) {
      if (step.does === 'refuse') return { outcome: ended(seen, 'refused'), boxes };
      if (step.does === 'insert') {
        if (labels.has(`label ${step.label}`)) return { outcome: 'violated', boxes };
        labels.add(`label ${step.label}`);
      } else if (step.does === 'change') {
        if (contents.has(step.id)) contents.set(step.id, contentOf(number, seen));
      } else if (step.does === 'remove') contents.delete(step.id);
      else if (step.does === 'lockSeveral')
        seen.push(...[...step.ids].sort().flatMap((id) => contents.get(id) ?? []));
      else seen.push(contents.get(step.id) ?? 'no box');
    }
    return { outcome: ended(seen, 'stored'), boxes: { contents, labels } };
  }

  const ended = (seen: readonly string[], how: string) => `${how} after ${seen.join(', ')}`;
  const contentOf = (number: number, seen: readonly string[]) =>
    `${number} of ${seen.length} (${hash(seen.join())})`;

  const id = fc.constantFrom(...IDS);
  const step: fc.Arbitrary<Step> = fc.oneof(
    { arbitrary: fc.record({ does: fc.constant('lock' as const), id }), weight: 5 },
    { arbitrary: fc.record({ does: fc.constant('change' as const), id }), weight: 5 },
    fc.record({ does: fc.constantFrom('lockByName' as const, 'remove' as const), id }),
    fc.record({
      does: fc.constant('lockSeveral' as const),
      ids: fc.uniqueArray(id, { minLength: 2, maxLength: 3 }),
    }),
    fc.record({ does: fc.constant('insert' as const), label: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ does: fc.constant('refuse' as const) }),
  );
  /** What most units do. */
  const update: fc.Arbitrary<Step[]> = id.map((of) => [
    { does: 'lock', id: of },
    { does: 'change', id: of },
  ]);
  const steps = fc.oneof(
    { arbitrary: fc.array(update, { minLength: 1, maxLength: 2 }).map((each) => each.flat()), weight: 2 },
    fc.tuple(update, step).map(([first, last]) => [...first, last]),
    fc.array(step, { minLength: 1, maxLength: 4 }),
  );
  const unit: fc.Arbitrary<Unit> = fc.record({
    steps,
    isEnclosed: fc.boolean(),
    replica: fc.constantFrom(0, 0, 0, 0, 1),
    turns: fc.constantFrom(0, 0, 0, 0, 0, 1),
  });

  it(
    'store and return what they would one after the other',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(unit, { minLength: 2, maxLength: 5 }), async (units) => {
          await fill();
          const before = await stored();
          const running: Promise<string>[] = [];
          for (const [number, one] of units.entries()) {
            running.push(run(one, number));
            for (let count = 0; count < one.turns; count++) await turn();
          }
          const outcomes = await Promise.all(running);
          const after = await stored();
          if (!isSerial(units, outcomes, before, after))
            throw new Error(`No order gives ${JSON.stringify(outcomes)} and ${String([...after.contents])}.`);
        }),
        { numRuns: ROUNDS },
      );
    },
    Math.max(120_000, ROUNDS * 100),
  );

  const lock = (id: bigint): Step => ({ does: 'lock', id });
  const change = (id: bigint): Step => ({ does: 'change', id });
  const byName: Step = { does: 'lockByName', id: 1n };

  it.each<[string, Step[], Step[]]>([
    ['one locks by id, the other by name', [lock(1n), change(1n)], [byName, change(1n)]],
    ['one changes it without a lock', [lock(1n), lock(2n), change(1n)], [change(1n)]],
    ['one removes it without a lock', [lock(1n), lock(2n), change(1n)], [{ does: 'remove', id: 1n }]],
    ['both lock it', [lock(1n), change(1n)], [lock(2n), lock(1n), change(1n)]],
  ])('lose no change of a row when %s', async (_, first, second) => {
    for (const isEnclosed of [false, true])
      for (let round = 0; round < 10; round++) {
        await fill();
        const before = await stored();
        const units = [first, second].map((steps): Unit => ({ steps, isEnclosed, replica: 0, turns: 0 }));
        const outcomes = await Promise.all(units.map((one, number) => run(one, number)));
        expect(outcomes).toEqual([expect.stringMatching(/^stored/), expect.stringMatching(/^stored/)]);
        expect(isSerial(units, outcomes, before, await stored())).toBe(true);
      }
  });
});

function isSame(one: Boxes, other: Boxes): boolean {
  const text = ({ contents, labels }: Boxes) =>
    JSON.stringify([[...contents].map(String).sort(), [...labels].sort()]);
  return text(one) === text(other);
}

function hash(text: string): number {
  let sum = 7;
  for (const character of text) sum = (sum * 31 + character.codePointAt(0)!) % 1_000_003;
  return sum;
}
