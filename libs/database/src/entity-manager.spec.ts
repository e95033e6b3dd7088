import { Column, type EntityManager, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { tablesOf } from './testing/tables.js';
import { databases, emptyBeforeEach } from './testing/temporary-database.js';

@Entity({ name: 'shelters' })
class ShelterRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text', unique: true })
  name: string;

  @Column({ type: 'bigint', name: 'permit_number' })
  permit: bigint;
}

const tables = tablesOf(
  [ShelterRecord],
  'CREATE TABLE shelters (id IDENTITY, name text NOT NULL UNIQUE, permit_number bigint NOT NULL)',
);

const BEYOND_DOUBLES = 9007199254740993n;

describe.each(databases)('an EntityManager within a unit of work on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, tables);

  function run<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { database } = temporary;
    return database.run((transaction) => work(database.entityManager(transaction)));
  }

  function add(name: string, permit = BEYOND_DOUBLES): Promise<ShelterRecord> {
    return run((manager) => manager.save(manager.create(ShelterRecord, { name, permit })));
  }

  const all = () => run((manager) => manager.find(ShelterRecord, { order: { id: 'ASC' } }));
  const names = async () => (await all()).map(({ name }) => name);

  it('saves and finds a record, with its new id and every int64 exact', async () => {
    const saved = await add('North', 2n ** 63n - 1n);
    await run((manager) =>
      manager.insert(ShelterRecord, { id: BEYOND_DOUBLES, name: 'far away', permit: -(2n ** 63n) }),
    );

    expect(saved).toEqual({ id: 1n, name: 'North', permit: 9223372036854775807n });
    expect(await all()).toEqual([
      saved,
      { id: 9007199254740993n, name: 'far away', permit: -9223372036854775808n },
    ]);
    expect(await run((manager) => manager.findOneBy(ShelterRecord, { id: BEYOND_DOUBLES }))).toMatchObject({
      name: 'far away',
    });
  });

  it('shares its transaction with prepared statements', async () => {
    const byName = temporary.database
      .statements(ShelterRecord, 'shelter')
      .select<{ name: string }>((shelter) => shelter.where('shelter.name = :name'));

    const [within, outside] = await temporary.database.run(async (transaction) => {
      const manager = temporary.database.entityManager(transaction);
      await manager.save(manager.create(ShelterRecord, { name: 'North', permit: 7n }));
      return [await byName.getOne({ name: 'North' }, transaction), await byName.getOne({ name: 'North' })];
    });

    expect(within).toEqual({ id: 1n, name: 'North', permit: 7n });
    expect(outside).toBeNull();
  });

  it('turns a nested transaction into a savepoint', async () => {
    await run(async (manager) => {
      await manager.save(manager.create(ShelterRecord, { name: 'North', permit: 1n }));
      const failing = manager.transaction(async (inner) => {
        await inner.save(inner.create(ShelterRecord, { name: 'South', permit: 1n }));
        throw new Error('changed their mind');
      });
      await expect(failing).rejects.toThrow('changed their mind');
      await manager.transaction((inner) =>
        inner.save(inner.create(ShelterRecord, { name: 'East', permit: 1n })),
      );
    });

    expect(await names()).toEqual(['North', 'East']);
  });

  it('refuses statements when the unit has ended', async () => {
    const manager = await run((leaked) => Promise.resolve(leaked));

    await expect(manager.find(ShelterRecord)).rejects.toThrow('This transaction has ended');
    await expect(manager.insert(ShelterRecord, { name: 'late', permit: 1n })).rejects.toThrow(
      'This transaction has ended',
    );
    expect(await names()).toEqual([]);
  });
});
