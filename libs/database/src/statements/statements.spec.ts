import fc from 'fast-check';
import { Column, Entity, Index, PrimaryColumn, PrimaryGeneratedColumn } from 'typeorm';
import { type PageRequest, type Place, type SortedPageRequest } from '@animal-store/kernel';
import { tablesOf } from '../testing/tables.js';
import { databases, emptyBeforeEach } from '../testing/temporary-database.js';

type Mood = 'calm' | 'wild';

@Entity({ name: 'visits' })
@Index(['pet', 'id'])
class VisitRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint', name: 'pet_number' })
  pet: bigint;

  @Column({ type: 'text', name: 'remark' })
  note: string;

  @Column({ type: 'text' })
  mood: Mood;

  @Column({ type: 'boolean', name: 'is_paid' })
  isPaid: boolean;

  @Column({ type: 'int' })
  minutes: number;

  @Column({ type: Date, name: 'came_at' })
  cameAt: Date;

  @Column({
    type: 'text',
    nullable: true,
    transformer: {
      to: (words: readonly string[] | null) => words?.join(' ') ?? null,
      from: (text: string | null) => text?.split(' ') ?? null,
    },
  })
  tags: readonly string[] | null;
}

@Entity({ name: 'vets' })
class VetRecord {
  @PrimaryColumn({ type: 'text' })
  id: string;

  @Column({ type: 'bigint', name: 'visit_count' })
  visitCount: bigint;
}

@Entity({ name: 'pictures' })
class PictureRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'bytea' })
  bytes: Buffer;

  /** Read only where it is selected. */
  @Column({ type: 'bytea', nullable: true, select: false })
  preview: Buffer | null;
}

const tables = tablesOf(
  [VisitRecord, VetRecord, PictureRecord],
  'CREATE TABLE pictures (id IDENTITY, bytes BYTEA NOT NULL, preview BYTEA)',
  `CREATE TABLE visits (id IDENTITY, pet_number bigint NOT NULL, remark text NOT NULL, mood text NOT NULL,
    is_paid boolean NOT NULL, minutes int NOT NULL, came_at DATETIME NOT NULL, tags text)`,
  'CREATE TABLE vets (id text PRIMARY KEY, visit_count bigint NOT NULL DEFAULT 0)',
);

const FIRST: PageRequest = { limit: 1, after: null };

const VISIT: Omit<VisitRecord, 'id'> = {
  pet: 9007199254740993n,
  note: 'Rex: "sit"?',
  mood: 'calm',
  isPaid: true,
  minutes: 30,
  cameAt: new Date('2026-03-14T12:00:00.123Z'),
  tags: ['teeth', 'paws'],
};

describe.each(databases)('statements on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, tables);

  const visits = () => temporary.database.statements(VisitRecord, 'visit');

  async function add(...given: Partial<VisitRecord>[]): Promise<bigint[]> {
    const insert = visits().insert(['pet', 'note', 'mood', 'isPaid', 'minutes', 'cameAt', 'tags']);
    return temporary.database.run(async (transaction) => {
      const ids: bigint[] = [];
      for (const changes of given) ids.push(await insert.execute({ ...VISIT, ...changes }, transaction));
      return ids;
    });
  }

  describe('bytes', () => {
    const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
    const pictures = () => temporary.database.statements(PictureRecord, 'picture');

    it.each([
      ['every byte', EVERY_BYTE],
      ['none', Buffer.alloc(0)],
      ['a megabyte', Buffer.alloc(1_000_000, EVERY_BYTE)],
    ])('are stored and read as they are: %s', async (_, bytes) => {
      const id = await pictures().insert().execute({ bytes, preview: null });
      const byId = pictures().select<Pick<PictureRecord, 'id'>>((picture) =>
        picture.addSelect('picture.preview').where('picture.id = :id'),
      );

      const read = await byId.getOne({ id });
      // Jest compares a megabyte for seconds.
      expect(read!.bytes.equals(bytes)).toBe(true);
      expect(read).toEqual({ id, bytes: expect.any(Buffer), preview: null });
    });

    it('are stored by inserts at the same time, replaced, changed, and found', async () => {
      const insert = pictures().insert(['bytes']);
      const each = [0, 1, 2, 3].map((byte) => Buffer.alloc(3, byte));
      const ids = await Promise.all(each.map((bytes) => insert.execute({ bytes })));
      const replace = pictures().insertWithId(['id', 'bytes'], { replaces: ['id'] });
      const change = pictures().update(['preview'], { equal: ['bytes'] });
      await temporary.database.run(async (transaction) => {
        await replace.execute({ id: ids[0]!, bytes: Buffer.from('new') }, transaction);
        await change.execute({ preview: EVERY_BYTE, bytes: Buffer.alloc(3, 1) }, transaction);
      });
      const found = pictures().select<Pick<PictureRecord, 'bytes'>>((picture) =>
        picture.select(['picture.id', 'picture.preview']).where('picture.bytes = :bytes'),
      );

      expect(await found.getOne({ bytes: Buffer.alloc(3, 1) })).toEqual({ id: ids[1], preview: EVERY_BYTE });
      expect(await found.getMany({ bytes: Buffer.from('new') })).toEqual([{ id: ids[0], preview: null }]);
      // Typed arrays are bytes, too.
      expect(await found.getOne({ bytes: new Uint8Array([3, 3, 3]) as Buffer })).toMatchObject({
        id: ids[3],
      });
    });

    it('are left out of a row unless they are selected', async () => {
      await pictures().insert().execute({ bytes: EVERY_BYTE, preview: EVERY_BYTE });
      const all = pictures().select((picture) => picture);

      expect(await all.getMany({})).toEqual([{ id: 1n, bytes: EVERY_BYTE }]);
    });
  });

  describe('a limit that is given with each call', () => {
    const oldest = () =>
      visits().select<{ most: number | bigint; before: number | bigint }, Pick<VisitRecord, 'id'>>(
        (visit) => visit.select('visit.id').where('visit.pet < :before').orderBy('visit.pet', 'DESC'),
        { limit: 'most' },
      );

    it('is the most rows that are read, and an instant or another number is compared as it is', async () => {
      const nowMs = 1_773_489_600_123;
      await add(...[-1, 0, 1].map((ms) => ({ pet: BigInt(nowMs + ms) })));
      const statement = oldest();

      for (const exact of [Number, BigInt])
        expect(await statement.getMany({ most: exact(1), before: exact(nowMs + 1) })).toEqual([{ id: 2n }]);
      expect(await statement.getMany({ most: 5, before: nowMs + 1 })).toEqual([{ id: 2n }, { id: 1n }]);
      expect(await statement.getMany({ most: 0, before: nowMs })).toEqual([]);
    });

    it('is each its own for reads at the same time', async () => {
      await add({ pet: 1n }, { pet: 2n }, { pet: 3n });
      const statement = oldest();
      const read = await Promise.all([1, 2, 3].map((most) => statement.getMany({ most, before: 9 })));

      expect(read.map((rows) => rows.length)).toEqual([1, 2, 3]);
    });
  });

  it('skips rows that another transaction has locked, where there are such locks', async () => {
    await add({ pet: 1n }, { pet: 2n }, { pet: 3n });
    const next = visits().select<{ most: number }, Pick<VisitRecord, 'id'>>(
      (visit) =>
        visit.select('visit.id').orderBy('visit.id').setLock('pessimistic_write').setOnLocked('skip_locked'),
      { limit: 'most' },
    );
    const take = (most: number, then: () => Promise<unknown>) =>
      temporary.database.run(async (transaction) => {
        const rows = await next.getMany({ most }, transaction);
        await then();
        return rows.map(({ id }) => id);
      });
    if (temporary.database.dialect === 'sqlite') {
      // One writer at a time: the next begins when this one has ended.
      expect(await take(2, () => Promise.resolve())).toEqual([1n, 2n]);
      return;
    }
    let second: Promise<readonly bigint[]> | undefined;
    const first = take(2, () => (second = take(2, () => Promise.resolve())));

    expect(await first).toEqual([1n, 2n]);
    expect(await second).toEqual([3n]);
  });

  describe('a row', () => {
    it('has the properties and types of the record: int64, boolean, date and transformed value', async () => {
      const [id] = await add({});
      const byId = visits().select<Pick<VisitRecord, 'id'>>((visit) => visit.where('visit.id = :id'));

      expect(await byId.getOne({ id: id! })).toEqual({ id: 1n, ...VISIT });
    });

    it('has only the selected columns, and computed values under their names', async () => {
      await add({ minutes: 20 }, { minutes: 40 });
      const some = visits().select<object, Pick<VisitRecord, 'isPaid' | 'pet'>>((visit) =>
        visit.select(['visit.isPaid', 'visit.pet']).limit(1),
      );
      const one = visits().select<object, Pick<VisitRecord, 'isPaid'>>((visit) =>
        visit.select('visit.isPaid').limit(1),
      );
      const longest = visits().select<object, { latest: bigint }>((visit) =>
        visit.select('MAX(visit.id)', 'latest'),
      );

      expect(await some.getMany({})).toEqual([{ isPaid: true, pet: 9007199254740993n }]);
      expect(await one.getMany({})).toEqual([{ isPaid: true }]);
      expect(await longest.getOne({})).toEqual({ latest: 2n });
    });

    it('is found by a date, a boolean, a list of constants or a bound number', async () => {
      await add({}, { isPaid: false, mood: 'wild' }, { minutes: 45 });
      const found = visits().select<Pick<VisitRecord, 'isPaid' | 'cameAt' | 'minutes'>>((visit) =>
        visit
          .where('visit.isPaid = :isPaid')
          .andWhere('visit.cameAt <= :cameAt')
          .andWhere('visit.minutes > :minutes')
          .andWhere('visit.mood IN (:...moods)', { moods: ['calm', 'lazy'] }),
      );

      const rows = await found.getMany({ isPaid: true, cameAt: VISIT.cameAt, minutes: 30 });

      expect(rows.map(({ id }) => id)).toEqual([3n]);
    });

    it('is found by the values of columns', async () => {
      await add({ mood: 'wild' }, { mood: 'wild', minutes: 45 }, { minutes: 45 });
      const rows = await visits()
        .find({ equal: ['mood', 'minutes'] })
        .getMany({ mood: 'wild', minutes: 45 });

      expect(rows.map(({ id }) => id)).toEqual([2n]);
    });

    it('is found by a list of values, however many there are', async () => {
      const ids = await add(...Array.from({ length: 11 }, (_, index) => ({ pet: BigInt(index) })));
      const found = visits().select<{ moods: readonly Mood[]; ids: readonly bigint[] }>((visit) =>
        visit.where('visit.mood NOT IN (:...moods)').andWhere('visit.id IN (:...ids)').orderBy('visit.id'),
      );
      const idsOf = async (count: number, moods: readonly Mood[]) =>
        (await found.getMany({ ids: ids.slice(0, count), moods })).map(({ id }) => id);

      for (const count of [0, 1, 2, 11]) {
        expect(await idsOf(count, [])).toEqual(ids.slice(0, count));
        expect(await idsOf(count, ['wild'])).toEqual(ids.slice(0, count));
        expect(await idsOf(count, ['wild', 'calm'])).toEqual([]);
      }
    });

    it.each<[keyof VisitRecord, readonly unknown[]]>([
      ['pet', [9007199254740993n, -(2n ** 63n)]],
      ['note', ['Rex: "sit"?', '{"a": 1}', 'NULL', '']],
      ['isPaid', [true]],
      ['cameAt', [VISIT.cameAt]],
    ])('is found by a list of exact values: %s', async (property, list) => {
      const others = { pet: 9007199254740992n, note: 'Rex', isPaid: false, cameAt: new Date(0) };
      const [, id] = await add(others, {});
      const found = visits().select<{ list: readonly unknown[] }>((visit) =>
        visit.where(`visit.${property} IN (:...list)`),
      );

      expect((await found.getMany({ list })).map((row) => row.id)).toEqual([id]);
    });

    it('is changed and removed, with each value in the type of its column', async () => {
      const [first, second] = await add({}, {});
      const update = visits().update(['isPaid', 'cameAt', 'tags'], { equal: ['id'] });
      const remove = visits().delete({ equal: ['pet', 'id'] });
      const all = visits().select((visit) => visit.orderBy('visit.id'));
      const cameAt = new Date('2027-01-01T00:00:00.000Z');

      await temporary.database.run(async (transaction) => {
        await update.execute({ id: first!, isPaid: false, cameAt, tags: null }, transaction);
        await remove.execute({ id: second!, pet: VISIT.pet }, transaction);
      });

      expect(await all.getMany({})).toEqual([{ id: 1n, ...VISIT, isPaid: false, cameAt, tags: null }]);
    });

    it('is changed only while a further condition holds, also by many at once', async () => {
      await add({ isPaid: false }, { isPaid: false });
      const paidNow = { equal: ['id'], where: ({ isPaid }: { isPaid: string }) => `NOT ${isPaid}` } as const;
      const pay = visits().update(['isPaid', 'note'], paidNow);
      const lock = visits().select<{ id: bigint }>((visit) =>
        visit.where('visit.id = :id').setLock('pessimistic_write'),
      );
      const payBoth = (note: string) =>
        Promise.all(
          [1n, 2n].map((id) =>
            temporary.database.run(async (transaction) => {
              await lock.getOne({ id }, transaction);
              await pay.execute({ id, isPaid: true, note }, transaction);
            }),
          ),
        );
      await payBoth('cash');
      await payBoth('card');

      const all = visits().select((visit) => visit.orderBy('visit.id'));
      expect((await all.getMany({})).map(({ note }) => note)).toEqual(['cash', 'cash']);
    });

    it('with a given id is added, or replaces the row with this id', async () => {
      const vets = temporary.database.statements(VetRecord, 'vet');
      const put = vets.insertWithId(['id', 'visitCount'], { replaces: ['id'] });
      const all = vets.select((vet) => vet.orderBy('vet.id'));

      for (const visitCount of [1n, 2n ** 63n - 1n])
        await temporary.database.run((transaction) => put.execute({ id: 'ann', visitCount }, transaction));

      expect(await all.getMany({})).toEqual([{ id: 'ann', visitCount: 9223372036854775807n }]);
    });

    it('is written by SQL text with the column names of the record', async () => {
      await add({ note: 'Mia' });
      const sql = visits().sql<Pick<VisitRecord, 'note'>, { pet: bigint }>(
        ({ table, columns }) => `SELECT ${columns.pet} AS pet FROM ${table} WHERE ${columns.note} = :note`,
      );

      expect(await sql.getMany({ note: 'Mia' })).toEqual([{ pet: 9007199254740993n }]);
    });
  });

  it('lets transactions take turns, each of which sees what the one before it wrote', async () => {
    const lockTurn = visits().turn();
    const highest = visits().select<object, { pet: bigint | null }>((visit) =>
      visit.select('MAX(visit.pet)', 'pet'),
    );
    const insert = visits().insert();
    const next = () =>
      temporary.database.run(async (transaction) => {
        await lockTurn(transaction);
        const row = (await highest.getOne({}, transaction))!;
        // Nobody else has it.
        expect(Object.isFrozen(row)).toBe(false);
        const { pet } = row;
        await insert.execute({ ...VISIT, pet: (pet ?? 0n) + 1n }, transaction);
      });
    await Promise.all(Array.from({ length: 10 }, next));

    expect(await highest.getOne({})).toEqual({ pet: 10n });
  });

  it('locks a name for one transaction, and lets no other wait for it', async () => {
    const tryLock = visits().tryLock();
    const lock = (name: string, then = () => Promise.resolve<unknown>([])) =>
      temporary.database.run(async (transaction) => [
        (await tryLock(name, transaction)).isLocked,
        await then(),
      ]);
    if (temporary.database.dialect === 'sqlite') {
      expect(await lock('ann')).toEqual([true, []]);
      return;
    }
    const others = () => Promise.all([lock('ann'), lock('bob')]);

    expect(await lock('ann', others)).toEqual([
      true,
      [
        [false, []],
        [true, []],
      ],
    ]);
    expect(await lock('ann')).toEqual([true, []]);
  });

  describe('a list', () => {
    interface Filter {
      readonly mood?: Mood;
      readonly pet?: bigint | readonly bigint[];
      readonly minutes?: readonly number[];
    }

    const list = () =>
      visits().list(
        (visit) => visit,
        {
          equal: ['mood', 'pet'],
          optional: ['mood', 'pet', 'minutes'],
          several: { column: 'pet', max: 3 },
          sorts: ['id', 'note', 'pet'],
        },
        (visit, { minutes }: Pick<Filter, 'minutes'>) =>
          minutes ? visit.andWhere('visit.minutes IN (:...minutes)') : visit,
      );

    it('returns the same rows as filtering and sorting all rows in memory', async () => {
      const rows = Array.from({ length: 40 }, (_, index) => ({
        pet: BigInt((index * 7) % 3) - 1n,
        note: `note ${(index * 5) % 4}`,
        mood: index % 3 === 0 ? ('wild' as const) : ('calm' as const),
        minutes: 10 * (index % 4),
      }));
      const ids = await add(...rows);
      const all = rows.map((row, index) => ({ ...VISIT, ...row, id: ids[index]! }));
      const pages = list();
      const maybe = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });

      await fc.assert(
        fc.asyncProperty(
          fc.record({
            mood: maybe(fc.constantFrom('calm' as const, 'wild' as const)),
            pet: maybe(fc.oneof(fc.bigInt(-1n, 2n), fc.array(fc.bigInt(-1n, 1n), { maxLength: 5 }))),
            minutes: maybe(fc.array(fc.constantFrom(0, 10, 20, 30, 40), { maxLength: 5 })),
          }),
          fc.record({
            sort: fc.constantFrom('id' as const, 'note' as const, 'pet' as const),
            direction: fc.constantFrom('ASC' as const, 'DESC' as const),
          }),
          fc.integer({ min: 1, max: 20 }),
          async (filter, order, limit) => {
            const seen: bigint[] = [];
            let after: Place | null = null;
            do {
              const request: SortedPageRequest<'id' | 'note' | 'pet'> = { ...order, limit, after };
              const { items, next } = await pages.getPage(filter, request);
              seen.push(...items.map(({ id }) => id));
              expect(items.length).toBeLessThanOrEqual(limit);
              after = next;
            } while (after);
            expect(seen).toEqual(sorted(all.filter(matches(filter)), order).map(({ id }) => id));
          },
        ),
        { numRuns: 30 },
      );
    });

    const matches =
      ({ mood, pet, minutes }: Filter) =>
      (row: VisitRecord) =>
        (mood === undefined || row.mood === mood) &&
        (pet === undefined || [pet].flat().includes(row.pet)) &&
        (minutes === undefined || minutes.includes(row.minutes));

    function sorted(
      rows: VisitRecord[],
      { sort, direction }: { sort: 'id' | 'note' | 'pet'; direction: string },
    ) {
      const compare = <T>(one: T, other: T) => (one < other ? -1 : one > other ? 1 : 0);
      const sign = direction === 'ASC' ? 1 : -1;
      return rows.sort((one, other) => sign * (compare(one[sort], other[sort]) || compare(one.id, other.id)));
    }

    it('with several sorts needs one of them in the request', async () => {
      const byNote = visits().list((visit) => visit, { sorts: ['note'] });

      // @ts-expect-error the sort is missing
      await expect(byNote.getPage({}, FIRST)).rejects.toThrow(
        'The list has no order "id ASC": note ASC, note DESC.',
      );
    });

    it.each<[string, Filter, string, string]>([
      [
        'more values of a column than it takes',
        { pet: [1n, 2n, 3n, 4n] },
        'id',
        'The list accepts at most 3 values of pet.',
      ],
      [
        'an unknown sort',
        {},
        'remark; DROP TABLE visits',
        'The list has no order "remark; DROP TABLE visits ASC": id ASC, id DESC, note ASC',
      ],
    ])('refuses %s', async (_, filter, sort, message) => {
      const request = { ...FIRST, sort: sort as 'id', direction: 'ASC' as const };

      await expect(list().getPage(filter, request)).rejects.toThrow(message);
    });

    it('refuses a sort whose pages would lose rows when it is created', () => {
      const sortedBy = (sort: 'tags' | 'isPaid') => () => visits().list((visit) => visit, { sorts: [sort] });

      expect(sortedBy('tags')).toThrow(
        'VisitRecord cannot be sorted by tags: only by bigint or text, never null, in a column without a transformer.',
      );
      expect(sortedBy('isPaid')).toThrow('VisitRecord cannot be sorted by isPaid');
    });
  });

  describe('is refused', () => {
    it('without an argument that it needs', async () => {
      const byId = visits().select<{ id: bigint }>((visit) => visit.where('visit.id = :number'));

      await expect(byId.getMany({ id: 1n })).rejects.toThrow('The statement does not use "id": SELECT');
      await expect(byId.getMany({} as { id: bigint })).rejects.toThrow('The statement needs "number"');
    });

    it('by its promise, also when it writes', async () => {
      const writes = await temporary.database.run(async (transaction) => [
        visits()
          .insert(['pet'])
          .execute({ id: 1n } as never, transaction)
          .catch(String),
        visits()
          .delete({ equal: ['id'] })
          .execute({ pet: 2n } as never, transaction)
          .catch(String),
      ]);

      for (const refused of writes) expect(await refused).toContain('The statement needs');
    });

    it('with an argument that it does not use, which may be a forgotten filter', async () => {
      type Filter = Pick<VisitRecord, 'id' | 'pet'>;
      const byId = visits().select<Filter>((visit) => visit.where('visit.id = :id'));
      const list = visits().list((visit) => visit, { equal: ['mood'] });

      await expect(byId.getOne({ id: 1n, pet: 2n })).rejects.toThrow('The statement does not use "pet"');
      await list.getPage({ mood: 'calm', pet: undefined } as { mood: Mood }, FIRST);
      await expect(list.getPage({ mood: 'calm', pet: 2n } as { mood: Mood }, FIRST)).rejects.toThrow(
        'The statement does not use "pet"',
      );
    });

    it('outside a transaction when it locks, as the lock would be released at once', async () => {
      const locked = visits().find({ equal: ['id'], lock: true });

      await expect(locked.getOne({ id: 1n })).rejects.toThrow('Rows can only be locked in a transaction.');
    });

    it('on a record that is in no tables', () => {
      class Forgotten {}

      expect(() => temporary.database.statements(Forgotten, 'forgotten')).toThrow(
        'Forgotten is no record of this database: add it to the tables that the database is opened with.',
      );
    });

    it('when it inserts without an id into a table that generates none', () => {
      const vets = temporary.database.statements(VetRecord, 'vet');

      expect(() => vets.insert()).toThrow('VetRecord has no generated id: use insertWithId().');
    });
  });
});
