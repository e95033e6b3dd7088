import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import pg from 'pg';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { StorageUnavailable, type Transaction } from '@animal-store/kernel';
import type { PostgresOptions } from '../../opening/database-options.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import { tablesOf } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';
import { UniqueViolation } from '../../driver-errors.js';

@Entity({ name: 'toys' })
class ToyRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text', unique: true })
  name: string;

  @Column({ type: 'bigint', name: 'price_cents' })
  priceCents: bigint;
}

/** A column of every type that rows which share a statement may have. */
@Entity({ name: 'samples' })
class SampleRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint' })
  large: bigint;

  @Column({ type: 'int' })
  medium: number;

  @Column({ type: 'smallint' })
  small: number;

  @Column({ type: 'double precision' })
  ratio: number;

  @Column({ type: 'boolean' })
  flag: boolean;

  @Column({ type: 'text', nullable: true })
  note: string | null;

  @Column({ type: 'varchar', length: 5 })
  word: string;

  @Column({ type: 'uuid' })
  key: string;

  @Column({ type: 'timestamp' })
  local: Date;

  @Column({ type: 'timestamptz' })
  instant: Date;
}

const tables = tablesOf(
  [ToyRecord, SampleRecord],
  `CREATE TABLE toys (id IDENTITY, name text NOT NULL UNIQUE,
    price_cents bigint NOT NULL CHECK (price_cents > 0))`,
  `CREATE TABLE samples (id IDENTITY, large bigint NOT NULL, medium int NOT NULL, small smallint NOT NULL,
    ratio double precision NOT NULL, flag boolean NOT NULL, note text, word varchar(5) NOT NULL, key uuid NOT NULL,
    local timestamp NOT NULL, instant timestamptz NOT NULL)`,
);

type NewToy = Omit<ToyRecord, 'id'>;

describeOnPostgres('Inserts outside a transaction, on PostgreSQL', () => {
  const postgres = NewPostgres.forEachTest(tables);
  let toys: ReturnType<typeof toyStatements>;
  /** The commands that the database has sent. */
  let sent: string[];

  beforeEach(() => {
    const { other } = postgres;
    toys = toyStatements();
    sent = [];
    const client = pg.Client.prototype as { query(command: string | { text: string }): unknown };
    const { query } = client;
    jest.spyOn(client, 'query').mockImplementation(function (this: unknown, ...given) {
      const [command] = given;
      if (this !== other) sent.push(typeof command === 'string' ? command : command.text);
      return query.apply(this, given);
    });
  });

  function toyStatements() {
    const toy = postgres.database.statements(ToyRecord, 'toy');
    return {
      insert: toy.insert(['name', 'priceCents']),
      all: toy.select((row) => row.orderBy('toy.id')),
    };
  }

  async function reopen(changed: Partial<PostgresOptions>): Promise<void> {
    await postgres.reopen(changed);
    toys = toyStatements();
    sent.length = 0;
  }

  const aToy = (name: string, priceCents = 100n): NewToy => ({ name, priceCents });

  function add(toy: NewToy, within?: Transaction): Promise<bigint> {
    return toys.insert.execute(toy, within);
  }

  const addMany = (names: readonly string[]) => Promise.all(names.map((name) => add(aToy(name))));

  const stored = () => toys.all.getMany({});
  const storedNames = async () => (await stored()).map(({ name }) => name);
  const named = (count: number, word = 'toy') =>
    Array.from({ length: count }, (_, index) => `${word} ${index}`);
  const inserts = () => sent.filter((sql) => sql.startsWith('INSERT'));

  /** Makes every insert wait until the returned function is called. */
  async function lockToys(): Promise<() => Promise<unknown>> {
    await postgres.other.query('BEGIN');
    await postgres.other.query('LOCK TABLE toys IN SHARE MODE');
    return () => postgres.other.query('COMMIT');
  }

  it('that arrive in one turn share one statement, and each gets the id of its own row', async () => {
    const names = named(300);

    const ids = await addMany(names);

    expect(inserts()).toHaveLength(1);
    expect(sent).toEqual(inserts());
    expect(ids).toEqual(Array.from({ length: 300 }, (_, index) => BigInt(index + 1)));
    expect((await stored()).map(({ id, name }) => [id, name])).toEqual(
      names.map((name, index) => [ids[index], name]),
    );
  });

  it('fail alone when their row breaks a constraint', async () => {
    await add(aToy('ball'));
    const given = [aToy('rope'), aToy('ball'), aToy('bone'), aToy('gift', 0n), aToy('duck')];

    expect(await Promise.allSettled(given.map((toy) => add(toy)))).toMatchObject([
      { status: 'fulfilled' },
      { reason: expect.any(UniqueViolation) as unknown },
      { status: 'fulfilled' },
      { reason: { code: '23514' } },
      { status: 'fulfilled' },
    ]);
    expect((await storedNames()).sort()).toEqual(['ball', 'bone', 'duck', 'rope']);
  });

  it.each([
    ...['XX000', '42501', '54000'].map((code) => [code, { code }]),
    ...['53100', '53200', '58030'].map((code) => [code, { code: 'service_unavailable', cause: { code } }]),
  ] as [string, object][])('fail alone when PostgreSQL refuses their row with %s', async (code, reason) => {
    await postgres.other.query(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      IF NEW.name = 'bad' THEN RAISE EXCEPTION USING ERRCODE = '${code}'; END IF; RETURN NEW; END $$`);
    await postgres.other.query(
      'CREATE TRIGGER refuse BEFORE INSERT ON toys FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const names = ['ball', 'bad', ...Array.from({ length: 40 }, (_, index) => `toy ${index}`)];
    const outcomes = await Promise.allSettled(names.map((name) => add(aToy(name))));

    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
    expect(outcomes[1]).toMatchObject({ reason });
    expect((await storedNames()).sort()).toEqual(names.filter((name) => name !== 'bad').sort());
  });

  describe('whose outcome is unknown are 503 and never inserted again', () => {
    const UNKNOWN = Array(20).fill({ reason: expect.any(StorageUnavailable) as unknown }) as unknown[];

    it('because their connection broke before PostgreSQL was done', async () => {
      const unlock = await lockToys();
      const adding = Promise.allSettled(named(20).map((name) => add(aToy(name))));
      await postgres.breakWaiting();
      expect(await adding).toMatchObject(UNKNOWN);
      await unlock();

      expect(inserts()).toHaveLength(1);
      expect(await stored()).toEqual([]);
      await add(aToy('ball'));
    });

    it('because their connection broke after PostgreSQL was done', async () => {
      const { proxy, url } = await postgres.openProxy();
      await reopen({ url });
      const unlock = await lockToys();
      const adding = Promise.allSettled(named(20).map((name) => add(aToy(name))));
      await postgres.waitingForOther();
      proxy.stall();
      await unlock();
      while ((await postgres.other.query('SELECT FROM toys')).rowCount !== 20);
      await proxy.stop();

      expect(await adding).toMatchObject(UNKNOWN);
      expect(inserts()).toHaveLength(1);
      expect((await postgres.other.query('SELECT FROM toys')).rowCount).toBe(20);
    });
  });

  describe('while the only connection for writes is used by a slow write', () => {
    let finish: () => Promise<void>;

    async function hold(changed: Partial<PostgresOptions>): Promise<void> {
      await reopen({ poolSize: 1, ...changed });
      finish = await postgres.hold();
      sent.length = 0;
    }

    it('wait for it', async () => {
      await hold({});
      const adding = addMany(named(3));
      await turn();
      const more = addMany(named(3, 'more'));
      await turn();
      expect(postgres.database.queueLength).toBeGreaterThanOrEqual(1);
      await finish();
      await Promise.all([adding, more]);

      expect(inserts()).toHaveLength(2);
      expect(postgres.database.queueLength).toBe(0);
    });

    it('are 503 at once when as many as may are waiting', async () => {
      await hold({ queueSize: 3, connectTimeoutMs: 60_500 });
      const waiting = addMany(named(3));
      const late = add(aToy('late'));

      await expect(late).rejects.toThrow(StorageUnavailable);
      await expect(late).rejects.toMatchObject({ retryAfterSeconds: 61 });
      await Promise.all([finish(), waiting]);
      expect(await storedNames()).toEqual(named(3));
    });

    it('are 503 after the time for a connection, and are not inserted later', async () => {
      await hold({ connectTimeoutMs: 1_000 });
      await expect(add(aToy('late'))).rejects.toThrow(StorageUnavailable);
      await finish();

      expect(postgres.database.queueLength).toBe(0);
      expect(await stored()).toEqual([]);
      await add(aToy('next'));
      expect(await storedNames()).toEqual(['next']);
    });
  });

  describe('with columns of every type', () => {
    type NewSample = Omit<SampleRecord, 'id'>;
    const text = (maxLength: number) =>
      fc.oneof(
        fc.string({ unit: 'grapheme', maxLength }),
        fc
          .constantFrom('NULL', '', ' ', '"', '\\', '{}', ',', "'", 'é\n')
          .filter(({ length }) => length <= maxLength),
      );
    const date = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    const sample: fc.Arbitrary<NewSample> = fc.record({
      large: fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n),
      medium: fc.integer(),
      small: fc.integer({ min: -32_768, max: 32_767 }),
      ratio: fc.double(),
      flag: fc.boolean(),
      note: fc.option(text(40)),
      word: text(5).filter((word) => [...word].length <= 5),
      key: fc.uuid(),
      local: date,
      instant: date,
    });

    const COLUMNS = Object.keys(fc.sample(sample, 1)[0]!) as (keyof NewSample)[];

    function sampleStatements() {
      const samples = postgres.database.statements(SampleRecord, 'sample');
      return {
        insert: samples.insert(COLUMNS),
        byId: samples.select<Pick<SampleRecord, 'id'>>((row) => row.where('sample.id = :id')),
      };
    }

    it('store the same values as when each is a transaction', async () => {
      const { insert, byId } = sampleStatements();
      const valuesOf = async (id: bigint) => ({ ...(await byId.getOne({ id })), id: null });
      await fc.assert(
        fc.asyncProperty(fc.array(sample, { minLength: 2, maxLength: 8 }), async (samples) => {
          const together = await Promise.all(samples.map((given) => insert.execute(given)));
          const alone = await Promise.all(
            samples.map((given) => postgres.run((_, transaction) => insert.execute(given, transaction))),
          );
          expect(await Promise.all(together.map(valuesOf))).toEqual(await Promise.all(alone.map(valuesOf)));
        }),
        { numRuns: 20 },
      );
      expect(inserts().some((sql) => sql.includes('unnest('))).toBe(true);
    });

    it('refuse a text that is too long for its column, and do not cut it', async () => {
      const { insert, byId } = sampleStatements();
      const [given] = fc.sample(sample, { numRuns: 1, seed: 1 }) as [NewSample];
      const add = (word: string) => insert.execute({ ...given, word });

      const [tooLong, fits] = await Promise.allSettled([add('kitten'), add('puppy')]);

      expect(tooLong).toMatchObject({ reason: { code: '22001' } });
      const { value: id } = fits as PromiseFulfilledResult<bigint>;
      expect(await byId.getOne({ id })).toMatchObject({ word: 'puppy' });
    });
  });

  it('store exactly the rows that they return, in any mix with other units of work', async () => {
    const price = fc.constantFrom(100n, 100n, 100n, 0n);
    const unit = fc.record({
      kind: fc.constantFrom('insert' as const, 'insert' as const, 'run' as const, 'enclosed' as const),
      name: fc.integer({ min: 0, max: 40 }).map((number) => `"toy", ${number}\\`),
      priceCents: price,
      turns: fc.integer({ min: 0, max: 2 }),
      fails: fc.constantFrom(false, false, false, true),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(unit, { minLength: 1, maxLength: 40 }), async (units) => {
        await postgres.other.query('DELETE FROM toys');
        const ids = new Map<bigint, NewToy>();
        const errors: unknown[] = [];
        const running: Promise<void>[] = [];
        for (const { kind, turns, fails, name, priceCents } of units) {
          const toy = { name, priceCents };
          const work = async (transaction?: Transaction): Promise<bigint> => {
            if (fails) throw new Error('changed their mind');
            return add(toy, transaction);
          };
          const outcome = {
            insert: () => add(toy),
            run: () => postgres.database.run(work),
            enclosed: () => postgres.database.enclose(() => work()),
          }[kind]();
          running.push(
            outcome.then(
              (id) => void ids.set(id, toy),
              (error: unknown) => void errors.push(error),
            ),
          );
          for (let count = 0; count < turns; count++) await turn();
        }
        await Promise.all(running);

        const rows = await stored();
        expect(ids.size + errors.length).toBe(units.length);
        expect(rows.map(({ id, name, priceCents }) => [id, name, priceCents])).toEqual(
          [...ids]
            .sort(([one], [next]) => Number(one - next))
            .map(([id, toy]) => [id, toy.name, toy.priceCents]),
        );
        const wanted = units
          .filter(({ kind, fails, priceCents }) => priceCents > 0n && (kind === 'insert' || !fails))
          .map(({ name }) => name);
        expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(wanted));
      }),
      { numRuns: 30 },
    );
  });
});
