import fc from 'fast-check';
import pg from 'pg';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { StorageUnavailable } from '@animal-store/kernel';
import type { Database } from '../../database.js';
import { groupedSql } from '../../statements/grouped-statement.js';
import { NewPostgres } from '../../testing/new-postgres.js';
import type { StallingProxy } from '../../testing/stalling-proxy.js';
import { tablesOf } from '../../testing/tables.js';
import { describeOnPostgres } from '../../testing/temporary-database.js';

/** How long a read waits for a statement in flight. */
const PATIENCE_MS = 10;

type Size = 'small' | 'large';

@Entity({ name: 'cages' })
class CageRecord {
  @PrimaryColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  label: string;

  @Column({ type: 'text' })
  size: Size;

  @Column({ type: 'bigint', name: 'animal_count' })
  animals: bigint;
}

@Entity({ name: 'deliveries' })
class DeliveryRecord {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: Date, name: 'came_at', nullable: true })
  cameAt: Date | null;
}

@Entity({ name: 'tags' })
class TagRecord {
  @PrimaryColumn({ type: 'char', length: 8 })
  code: string;
}

const tables = tablesOf(
  [CageRecord, DeliveryRecord, TagRecord],
  'CREATE TABLE cages (id bigint PRIMARY KEY, label text NOT NULL, size text NOT NULL, animal_count bigint NOT NULL)',
  'CREATE INDEX cages_size_id ON cages (size, id)',
  'CREATE TABLE tags (code char(8) PRIMARY KEY)',
  'CREATE TABLE deliveries (id uuid PRIMARY KEY, came_at timestamp)',
);

describeOnPostgres('Reads of PostgreSQL at the same time', () => {
  const postgres = NewPostgres.forEachTest(tables);
  let sent: jest.SpyInstance;

  beforeEach(() => (sent = jest.spyOn(pg.Client.prototype, 'query')));

  const cages = (of = postgres.database) => of.statements(CageRecord, 'cage');
  const byId = (of = postgres.database) =>
    cages(of).select<Pick<CageRecord, 'id'>>((cage) => cage.where('cage.id = :id'));

  /** Finds the cage of this id once nobody locks the id: see `lock`. */
  const unlocked = () =>
    cages().select<Pick<CageRecord, 'id'>>((cage) =>
      cage.where('cage.id = :id').andWhere('pg_advisory_xact_lock_shared(cage.id) IS NOT NULL'),
    );

  async function put(...rows: CageRecord[]): Promise<void> {
    for (const { id, label, size, animals } of rows)
      await postgres.other.query('INSERT INTO cages VALUES ($1, $2, $3, $4)', [id, label, size, animals]);
  }

  function aCage(
    id: bigint,
    { label = `cage ${id}`, size = 'small', animals = 0n }: Partial<CageRecord> = {},
  ): CageRecord {
    return { id, label, size, animals };
  }

  /** Ids that no other suite locks, as all use one server. */
  const FIRST_ID = BigInt(process.pid) * 1_000n;
  const idOf = (number: number) => FIRST_ID + BigInt(number);

  async function lock(...ids: bigint[]): Promise<void> {
    for (const id of ids) await postgres.other.query('SELECT pg_advisory_lock($1)', [id]);
  }

  async function unlockAll(): Promise<void> {
    await postgres.other.query('SELECT pg_advisory_unlock_all()');
  }

  /** Begins four reads, each of which waits for a lock in a statement of its own. */
  async function beginFour<Read>(read: (number: number) => Promise<Read>): Promise<Promise<Read>[]> {
    const slow: Promise<Read>[] = [];
    for (let number = 1; number <= 4; number++) {
      slow.push(read(number));
      await postgres.waitingForOther(number);
    }
    return slow;
  }

  /** The texts of the reads that PostgreSQL was sent. */
  function texts(): string[] {
    return (sent.mock.calls as [{ text?: string }][])
      .map(([query]) => query.text ?? '')
      .filter((text) => /^SELECT .*(cages|deliveries)/s.test(text));
  }

  describe('of a page that are equal', () => {
    /** Pages of cages whose id nobody locks. */
    const unlockedPages = () =>
      cages().list<CageRecord, never, 'id', Pick<CageRecord, 'id'>>(
        (cage) => cage,
        {},
        (cage) => cage.where('cage.id = :id').andWhere('pg_advisory_xact_lock_shared(cage.id) IS NOT NULL'),
      );
    const FIRST = { limit: 20, after: null };

    it('share one statement, and one more for all that arrive while it is in flight', async () => {
      await put(aCage(idOf(1)));
      await lock(idOf(1));
      const list = unlockedPages();
      const read = () => list.getPage({ id: idOf(1) }, FIRST);
      const begun = Array.from({ length: 64 }, read);
      await postgres.waitingForOther();
      const startedAtMs = performance.now();
      const later = Array.from({ length: 64 }, read);
      expect(postgres.database.queueLength).toBe(1);
      await unlockAll();

      const pages = await Promise.all([...begun, ...later]);
      // More than one, if this process was too busy to wait no longer than its patience.
      if (performance.now() - startedAtMs < PATIENCE_MS) expect(texts()).toHaveLength(2);
      expect(new Set(pages).size).toBe(1);
      for (const page of pages) expect(page).toEqual({ items: [aCage(idOf(1))], next: null });
    });

    it('get one page that nobody can change, made once', async () => {
      await put(...[1n, 2n, 3n].map((id) => aCage(id)));
      const toItem = jest.fn(({ id }: CageRecord) => ({ number: id }));
      const list = cages().list(toItem);
      const [page, same] = await Promise.all(
        [1, 2, 3].map(() => list.getPage({}, { limit: 2, after: null })),
      );

      expect(same).toBe(page);
      expect(page).toEqual({ items: [{ number: 1n }, { number: 2n }], next: { id: 2n } });
      expect(toItem).toHaveBeenCalledTimes(2);
      expect(() => ((page as { next: unknown }).next = null)).toThrow(TypeError);
      expect(() => (page!.items as unknown[]).pop()).toThrow(TypeError);
      expect(() => (page!.items[0]!.number = 7n)).toThrow(TypeError);
      expect(() => ((page!.next as { id: bigint }).id = 0n)).toThrow(TypeError);
    });

    it('get the same page again while PostgreSQL finds the same rows, whichever texts request them', async () => {
      await put(...[1n, 2n, 3n].map((id) => aCage(id)));
      const toItem = jest.fn(({ id, label }: CageRecord) => ({ id, label }));
      const list = cages().list(toItem);
      const read = (limit = 2) => list.getPage({}, { limit, after: null });
      const [page] = await Promise.all([read(), read()]);
      expect(await read()).toBe(page);
      const [again, , other] = await Promise.all([read(), read(), read(3)]);
      expect(again).toBe(page);
      expect(other.items).toHaveLength(3);
      expect(toItem).toHaveBeenCalledTimes(2 + 3);

      await postgres.other.query("UPDATE cages SET label = 'new' WHERE id = 2");
      const changed = await read();
      expect(changed.items).toEqual([
        { id: 1n, label: 'cage 1' },
        { id: 2n, label: 'new' },
      ]);
      await postgres.other.query('DELETE FROM cages WHERE id = 1');
      expect((await read()).items.map(({ id }) => id)).toEqual([2n, 3n]);
    });

    it('are made again when there are more rows behind those that were found, or fewer', async () => {
      await put(aCage(1n), aCage(2n));
      const list = cages().list(({ id }: CageRecord) => ({ id }));
      const read = () => list.getPage({}, { limit: 20, after: null });
      expect((await Promise.all([read(), read()]))[0].items).toHaveLength(2);
      await put(aCage(3n));
      expect((await Promise.all([read(), read()]))[0].items).toHaveLength(3);
      await postgres.other.query('DELETE FROM cages WHERE id > 1');
      expect((await read()).items).toHaveLength(1);
    });

    it('get the same page again that was found among others', async () => {
      await put(...[1n, 2n, 3n].map((id) => aCage(id)));
      const list = cages().list(({ label }: CageRecord) => ({ label }));
      const read = (limit: number) => list.getPage({}, { limit, after: null });
      const [page] = await Promise.all([read(1), read(1), read(2)]);
      expect(await read(1)).toBe(page);
    });

    it('are made again when a column has another type, although its texts are the same', async () => {
      await put(aCage(1n));
      const list = cages().list(({ animals }: CageRecord) => ({ animals }));
      const readTwice = () => Promise.all([1, 2].map(() => list.getPage({}, { limit: 1, after: null })));
      expect((await readTwice())[0]!.items).toEqual([{ animals: 0n }]);
      await postgres.other.query('ALTER TABLE cages ALTER COLUMN animal_count TYPE text');
      expect((await readTwice())[0]!.items).toEqual([{ animals: '0' }]);
    });

    it('count once among those that may wait', async () => {
      await postgres.reopen({ queueSize: 2 });
      await put(...[1, 2, 3].map((number) => aCage(idOf(number))));
      await lock(...[1, 2, 3].map(idOf));
      const list = unlockedPages();
      const read = (number: number) => list.getPage({ id: idOf(number) }, FIRST);
      const slow = await beginFour(() => read(1));
      const waiting = Array.from({ length: 100 }, (_, index) => read(2 + (index % 2)));
      expect(postgres.database.queueLength).toBe(2);

      await expect(read(4)).rejects.toThrow(StorageUnavailable);
      await unlockAll();
      await Promise.all([...slow, ...waiting]);
    });

    it('are read again after they were refused', async () => {
      await postgres.reopen({ connectTimeoutMs: 1_000 });
      await put(aCage(idOf(1)));
      await lock(idOf(1));
      const list = unlockedPages();
      const read = () => list.getPage({ id: idOf(1) }, FIRST);
      const slow = await beginFour(read);
      await expect(read()).rejects.toThrow(StorageUnavailable);
      await unlockAll();
      await Promise.all(slow);

      expect((await read()).items).toEqual([aCage(idOf(1))]);
    });
  });

  it('that are equal share a statement, and each gets what it requested', async () => {
    await put(aCage(1n));
    const find = byId();

    const [one, many, same] = await Promise.all([
      find.getOne({ id: 1n }),
      find.getMany({ id: 1n }),
      find.getOne({ id: 1n }),
    ]);
    expect(one).toEqual(aCage(1n));
    expect(many).toEqual([aCage(1n)]);
    expect(same).toBe(one);
    expect(Object.isFrozen(many[0])).toBe(true);
    expect(texts()).toHaveLength(1);
  });

  it('at different times have objects of their own', async () => {
    await put(aCage(1n));
    const find = byId();
    const one = await find.getOne({ id: 1n });
    expect(Object.isFrozen(one)).toBe(false);
    expect(await find.getOne({ id: 1n })).not.toBe(one);
  });

  it('keep 50 shared results of one text, the newest', async () => {
    const ids = Array.from({ length: 51 }, (_, index) => BigInt(index + 1));
    await put(...ids.map((id) => aCage(id)));
    const find = byId();
    const read = (id: bigint) => find.getOne({ id });
    const kept: unknown[] = [];
    for (const id of ids) kept.push((await Promise.all([read(id), read(id)]))[0]);
    expect(await read(2n)).toBe(kept[1]);
    expect(await read(51n)).toBe(kept[50]);
    expect(await read(1n)).not.toBe(kept[0]);
    expect(await read(1n)).toEqual(kept[0]);
  });

  it('keep a shared result of at most 20,000 characters', async () => {
    // The other columns have seven.
    await put(...[1n, 2n].map((id) => aCage(id, { label: 'x'.repeat(19_992 + Number(id)) })));
    const find = byId();
    const read = (id: bigint) => find.getOne({ id });
    const [kept] = await Promise.all([read(1n), read(1n)]);
    expect(await read(1n)).toBe(kept);
    const [long] = await Promise.all([read(2n), read(2n)]);
    expect(await read(2n)).not.toBe(long);
  });

  it('that cannot be grouped have a statement each, even when they are equal', async () => {
    const all = cages().select<object>((cage) => cage);
    const byExpression = cages().select<Pick<CageRecord, 'size'>>((cage) =>
      cage.where('cage.size = :size').orderBy('length(cage.label)'),
    );
    const early = postgres.database
      .statements(DeliveryRecord, 'delivery')
      .select<Pick<DeliveryRecord, 'cameAt'>>((delivery) => delivery.where('delivery.cameAt < :cameAt'));
    const twice = (read: () => Promise<unknown>) => Promise.all([read(), read()]);

    await twice(() => all.getMany({}));
    await twice(() => byExpression.getMany({ size: 'small' }));
    await twice(() => early.getMany({ cameAt: new Date(0) }));
    expect(texts()).toHaveLength(6);
  });

  describe('with different arguments', () => {
    it('share one statement', async () => {
      const ids = Array.from({ length: 64 }, (_, index) => BigInt(index + 1));
      await put(...ids.map((id) => aCage(id)));
      const find = byId();

      expect(await Promise.all(ids.map((id) => find.getOne({ id })))).toEqual(ids.map((id) => aCage(id)));
      expect(texts()).toHaveLength(1);
    });

    it('get what each would get alone, in the same order', async () => {
      const labels = ['', 'a', "b's", '"c", {d}', '\\', '12:x', 'é🦜'];
      await put(
        ...Array.from({ length: 60 }, (_, index) =>
          aCage(BigInt(index - 5), {
            label: labels[(index * 5) % labels.length],
            size: index % 3 === 0 ? 'large' : 'small',
            animals: BigInt((index * 7) % 4) - 1n,
          }),
        ),
      );
      const find = byId();
      const byLabels = cages().select<Pick<CageRecord, 'label' | 'size'>>((cage) =>
        cage.where('cage.label = :label').andWhere('cage.size = :size').orderBy('cage.id', 'DESC'),
      );
      const list = cages().list((cage) => cage, {
        equal: ['size'],
        optional: ['size'],
        sorts: ['id', 'label', 'animals'],
      });
      const id = fc.bigInt(-8n, 60n);
      const size = fc.constantFrom<Size>('small', 'large');
      const label = fc.constantFrom(...labels, 'none');
      const sorted = fc.oneof(
        fc.record({ sort: fc.constant('id' as const), after: fc.option(fc.record({ id })) }),
        fc.record({ sort: fc.constant('label' as const), after: fc.option(fc.record({ id, value: label })) }),
        fc.record({
          sort: fc.constant('animals' as const),
          after: fc.option(fc.record({ id, value: fc.bigInt(-2n, 3n) })),
        }),
      );
      const read = fc.oneof(
        id.map((one) => () => find.getMany({ id: one })),
        fc.record({ label, size }).map((given) => () => byLabels.getMany(given)),
        fc
          .record({
            size: fc.option(size, { nil: undefined }),
            direction: fc.constantFrom('ASC' as const, 'DESC' as const),
            limit: fc.integer({ min: 1, max: 20 }),
            sorted,
          })
          .map(
            ({ size: only, direction, limit, sorted: { sort, after } }) =>
              () =>
                list.getPage({ size: only }, { sort, direction, limit, after: after }),
          ),
      );

      await fc.assert(
        fc.asyncProperty(fc.array(read, { minLength: 2, maxLength: 60 }), async (reads) => {
          const alone: unknown[] = [];
          for (const one of reads) alone.push(await one());
          expect(await Promise.all(reads.map((one) => one()))).toEqual(alone);
        }),
        { numRuns: 20 },
      );
      expect(texts().filter((text) => text.includes('LATERAL')).length).toBeGreaterThan(15);
    });

    it('find the few rows of a filter by its index, although PostgreSQL does not know how few they are', async () => {
      await postgres.other.query(
        "INSERT INTO cages SELECT id, 'cage', 'small', 0 FROM generate_series(1, 20000) AS id; ANALYZE cages",
      );
      cages().list((cage) => cage, { equal: ['size'] });
      const [first, further] = postgres.statements.grouped;
      const planOf = async (text: string) => {
        const { rows } = await postgres.other.query<{ 'QUERY PLAN': string }>(
          `EXPLAIN (GENERIC_PLAN) ${text}`,
        );
        return rows.map((row) => row['QUERY PLAN']).join('\n');
      };

      const plans = [
        await planOf(groupedSql(first!, ['text', 'bigint'])),
        await planOf(groupedSql(further!, ['text', 'bigint', 'bigint'])),
      ];
      for (const plan of plans) {
        expect(plan).toContain('Index Scan using cages_size_id');
        expect(plan).not.toContain('Filter');
      }
    });

    it('find what each would find alone in a column that compares otherwise with text', async () => {
      await postgres.other.query("INSERT INTO tags VALUES ('a'), ('b')");
      const find = postgres.database
        .statements(TagRecord, 'tag')
        .select<TagRecord>((tag) => tag.where('tag.code = :code'));
      const codes = ['a       ', 'b       '];
      expect(await Promise.all(codes.map((code) => find.getOne({ code })))).toEqual(
        codes.map((code) => ({ code })),
      );
    });

    it('of types that cannot be grouped run each by itself', async () => {
      const ids = ['6fa459ea-ee8a-3ca4-894e-db77e160355e', '16fd2706-8baf-433b-82eb-8c7fada847da'];
      for (const id of ids) await postgres.other.query('INSERT INTO deliveries VALUES ($1, now())', [id]);
      const deliveries = postgres.database.statements(DeliveryRecord, 'delivery');
      const find = deliveries.select<Pick<DeliveryRecord, 'id'>>((delivery) =>
        delivery.where('delivery.id = :id'),
      );
      const early = deliveries.select<Pick<DeliveryRecord, 'cameAt'>>((delivery) =>
        delivery.where('delivery.cameAt < :cameAt'),
      );
      const findAll = () => Promise.all(ids.map(async (id) => (await find.getOne({ id }))?.id));

      // The first time shows that PostgreSQL does not compare uuid with text.
      expect(await findAll()).toEqual(ids);
      const countBefore = texts().length;
      expect(await findAll()).toEqual(ids);
      expect(texts().slice(countBefore)).toHaveLength(2);
      expect(texts().slice(countBefore).join()).not.toContain('LATERAL');
      const dates = [new Date(0), new Date('2100-01-01')];
      const rows = await Promise.all(dates.map((cameAt) => early.getMany({ cameAt })));
      expect(rows.map(({ length }) => length)).toEqual([0, 2]);
    });

    it('find what is null, too', async () => {
      const id = '6fa459ea-ee8a-3ca4-894e-db77e160355e';
      await postgres.other.query('INSERT INTO deliveries VALUES ($1, NULL)', [id]);
      const find = postgres.database
        .statements(DeliveryRecord, 'delivery')
        .select<Pick<DeliveryRecord, 'id'>>((delivery) => delivery.where('delivery.id = :id'));
      const other = '16fd2706-8baf-433b-82eb-8c7fada847da';
      expect(await Promise.all([id, id, other].map((one) => find.getOne({ id: one })))).toEqual([
        { id, cameAt: null },
        { id, cameAt: null },
        null,
      ]);
    });
  });

  describe('of servers whose responses are late', () => {
    let proxies: StallingProxy[];
    let servers: Database[];

    beforeEach(async () => {
      const ways = [await postgres.openProxy(), await postgres.openProxy()];
      proxies = ways.map(({ proxy }) => proxy);
      servers = await Promise.all(ways.map(({ url }) => postgres.openAnother({ url })));
      await put(...[1n, 2n, 3n].map((id) => aCage(id)));
    });

    afterEach(async () => {
      for (const proxy of proxies) proxy.resume();
      await Promise.all(servers.map((server) => server.close()));
    });

    /** Stores the number of animals, by a server whose responses are not late. */
    function write(id: bigint, animals: bigint): Promise<void> {
      return postgres.run((_, transaction) => change().execute({ id, animals }, transaction));
    }

    const change = () => cages().update(['animals'], { equal: ['id'] });

    async function turns(count: number): Promise<void> {
      for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
    }

    it('do not share a statement that PostgreSQL has run before they began', async () => {
      const find = byId(servers[0]);
      await find.getOne({ id: 1n });
      const { rows } = await postgres.other.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
      proxies[0]!.delayResponses();
      const early = find.getOne({ id: 1n });
      const HAS_RUN = `SELECT 1 FROM pg_stat_activity
        WHERE query LIKE '%"cages"%' AND state = 'idle' AND query_start > $1 AND pid <> pg_backend_pid()`;
      while ((await postgres.other.query(HAS_RUN, [rows[0]!.now])).rowCount === 0) await turns(1);
      await write(1n, 7n);
      const late = find.getOne({ id: 1n });
      proxies[0]!.resume();

      await early;
      expect((await late)!.animals).toBe(7n);
    });

    it('see everything that was committed before they began', async () => {
      const readers = servers.map((server) => ({
        find: byId(server),
        list: cages(server).list((cage) => cage),
      }));
      const id = fc.constantFrom(1n, 2n, 3n);
      const who = fc.constantFrom(0, 1);
      const reads = fc.array(
        fc.record({ after: fc.nat({ max: 300 }), who, id, what: fc.constantFrom('find', 'list') }),
        { minLength: 40, maxLength: 80 },
      );
      const writes = fc.array(fc.record({ after: fc.nat({ max: 20 }), id }), { maxLength: 12 });
      const delays = fc.array(fc.record({ after: fc.nat({ max: 20 }), who, during: fc.nat({ max: 80 }) }), {
        maxLength: 8,
      });
      const committed = new Map([1n, 2n, 3n].map((each) => [each, 0n]));

      await fc.assert(
        fc.asyncProperty(reads, writes, delays, async (wanted, changes, late) => {
          const writing = async () => {
            for (const { after, id: changed } of changes) {
              await turns(after);
              const animals = committed.get(changed)! + 1n;
              await write(changed, animals);
              committed.set(changed, animals);
            }
          };
          const delaying = async () => {
            for (const { after, who: server, during } of late) {
              await turns(after);
              proxies[server]!.delayResponses();
              await turns(during);
              proxies[server]!.resume();
            }
          };
          const reading = wanted.map(async ({ after, who: server, id: one, what }) => {
            await turns(after);
            const least = committed.get(one)!;
            const { find, list } = readers[server]!;
            const { items } =
              what === 'list' ? await list.getPage({}, { limit: 3, after: null }) : { items: [] };
            const seen =
              what === 'list' ? items.find((cage) => cage.id === one) : await find.getOne({ id: one });
            expect(seen!.animals).toBeGreaterThanOrEqual(least);
          });
          await Promise.all([writing(), delaying(), ...reading]);
        }),
        { numRuns: 20 },
      );
    });
  });

  describe('while a statement is slow', () => {
    beforeEach(() => put(...[1, 2, 3, 4, 5, 6].map((number) => aCage(idOf(number)))));
    afterEach(unlockAll);

    /** Four statements of one text that are in flight until `unlockAll`. */
    async function startedFour() {
      await lock(...[1, 2, 3, 4].map(idOf));
      const find = unlocked();
      return { find, slow: await beginFour((number) => find.getOne({ id: idOf(number) })) };
    }

    it('wait no longer for it than their patience', async () => {
      await lock(idOf(1));
      const find = unlocked();
      const slow = find.getOne({ id: idOf(1) });
      await postgres.waitingForOther();
      const startedAtMs = performance.now();

      expect(await find.getOne({ id: idOf(2) })).toEqual(aCage(idOf(2)));
      expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(PATIENCE_MS);
      await unlockAll();
      expect(await slow).toEqual(aCage(idOf(1)));
    });

    it('begin four statements at most, and give up after their time', async () => {
      await postgres.reopen({ connectTimeoutMs: 1_000 });
      const { find, slow } = await startedFour();
      const late = find.getOne({ id: idOf(5) });

      await expect(late).rejects.toThrow(StorageUnavailable);
      await unlockAll();
      expect(await Promise.all(slow)).toEqual([1, 2, 3, 4].map((number) => aCage(idOf(number))));
      expect(texts()).toHaveLength(4);
      expect(await find.getOne({ id: idOf(5) })).toEqual(aCage(idOf(5)));
    });

    it('are refused at once when more wait than may', async () => {
      await postgres.reopen({ queueSize: 2, connectTimeoutMs: 60_500 });
      const { find, slow } = await startedFour();
      const waiting = [find.getOne({ id: idOf(5) }), find.getOne({ id: idOf(6) })];
      expect(postgres.database.queueLength).toBe(2);

      const equal = find.getOne({ id: idOf(5) });
      const refused = find.getOne({ id: idOf(7) });
      await expect(refused).rejects.toThrow(StorageUnavailable);
      await expect(refused).rejects.toMatchObject({ retryAfterSeconds: 61 });
      await unlockAll();
      expect(await equal).toBe(await waiting[0]);
      await Promise.all([...slow, ...waiting]);
      expect(postgres.database.queueLength).toBe(0);
    });
  });

  describe('when a statement fails', () => {
    it('the error goes to the reads whose arguments cause it, and to no other', async () => {
      await put(...[1n, 2n, 3n].map((id) => aCage(id)));
      const find = cages().select<{ id: bigint; divisor: bigint }>((cage) =>
        cage.where('cage.id = :id').andWhere('6 / :divisor < 100'),
      );
      const outcomes = await Promise.allSettled(
        [1n, 0n, 3n, 0n].map((divisor) => find.getOne({ id: 2n, divisor })),
      );

      const found = { status: 'fulfilled' };
      const failed = { reason: { code: '22012' } };
      expect(outcomes).toMatchObject([found, failed, found, failed]);
      // The next ones are grouped again.
      const countBefore = texts().length;
      await Promise.all([1n, 3n].map((divisor) => find.getOne({ id: 2n, divisor })));
      expect(texts().slice(countBefore)).toHaveLength(1);
    });

    it('because PostgreSQL lacks memory for one of them, that one is 503, and the connection is used again', async () => {
      await put(aCage(1n), aCage(2n));
      await postgres.other
        .query(`CREATE FUNCTION needs_memory(id bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        IF id = 2 THEN RAISE EXCEPTION USING ERRCODE = 'out_of_memory'; END IF; RETURN true; END $$`);
      const find = cages().select<Pick<CageRecord, 'id'>>((cage) =>
        cage.where('cage.id = :id').andWhere('needs_memory(cage.id)'),
      );
      const reads = () => Promise.allSettled([1n, 2n, 3n].map((id) => find.getOne({ id })));
      const found = [
        { value: aCage(1n) },
        { reason: expect.any(StorageUnavailable) as unknown },
        { value: null },
      ];
      expect(await reads()).toMatchObject(found);

      const { open } = postgres.database.connections!;
      expect(await reads()).toMatchObject(found);
      expect(postgres.database.connections!.open).toBe(open);
    });

    it('because its connection breaks, all that share it fail, and the next ones are served', async () => {
      await put(...[1, 2].map((number) => aCage(idOf(number))));
      await lock(idOf(1));
      const find = unlocked();
      const broken = Promise.allSettled([1, 2, 1].map((number) => find.getOne({ id: idOf(number) })));
      await postgres.waitingForOther();
      const later = find.getOne({ id: idOf(2) });
      await postgres.breakWaiting();

      for (const outcome of await broken)
        expect(outcome).toMatchObject({ reason: expect.any(StorageUnavailable) as unknown });
      expect(await later).toEqual(aCage(idOf(2)));
    });
  });
});
