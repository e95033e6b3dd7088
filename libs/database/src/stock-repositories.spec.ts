import { Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  Column,
  CreateDateColumn,
  Entity,
  ManyToOne,
  Not,
  OneToMany,
  PrimaryGeneratedColumn,
  type Relation,
  Repository,
  VersionColumn,
} from 'typeorm';
import { StorageUnavailable } from '@animal-store/kernel';
import { DatabaseModule, InjectRepository } from './database.module.js';
import { tablesOf } from './testing/tables.js';
import { databases, emptyBeforeEach } from './testing/temporary-database.js';
import { UniqueViolation } from './driver-errors.js';

@Entity({ name: 'kennels' })
class Kennel {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ unique: true })
  name: string;

  @Column({ default: true })
  isHeated: boolean;

  @Column({ default: 0 })
  places: number;

  @Column('real', { default: 0 })
  area: number;

  @CreateDateColumn()
  builtAt: Date;

  @VersionColumn()
  version: number;

  @OneToMany(() => Bowl, (bowl) => bowl.kennel, { cascade: true })
  bowls: Relation<Bowl>[];
}

@Entity({ name: 'bowls' })
class Bowl {
  @PrimaryGeneratedColumn()
  id: number;

  @Column()
  color: string;

  @ManyToOne(() => Kennel, (kennel) => kennel.bowls)
  kennel: Relation<Kennel>;
}

class Unlisted {}

/** As Nest's documentation writes it. */
@Injectable()
class KennelsService {
  constructor(@InjectRepository(Kennel) readonly kennels: Repository<Kennel>) {}
}

@Module({ imports: [DatabaseModule.forFeature([Kennel])], providers: [KennelsService] })
class KennelsModule {}

const tables = tablesOf(
  [Kennel, Bowl],
  `CREATE TABLE kennels (id SERIAL, name text NOT NULL UNIQUE, "isHeated" boolean NOT NULL DEFAULT true,
     places integer NOT NULL DEFAULT 0, area real NOT NULL DEFAULT 0,
     "builtAt" DATETIME NOT NULL DEFAULT CURRENT_TIMESTAMP, version integer NOT NULL)`,
  'CREATE TABLE bowls (id SERIAL, color text NOT NULL, "kennelId" integer REFERENCES kennels)',
);

describe.each(databases)('a stock repository on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, tables);
  let kennels: Repository<Kennel>;

  beforeEach(() => (kennels = temporary.database.repository(Kennel)));

  const names = async () => (await kennels.find({ order: { id: 'ASC' } })).map(({ name }) => name);
  const sql = (text: string) =>
    temporary.database.run((transaction) => temporary.database.session(transaction).query(text));

  it('is injected where a service requests it as the documentation of Nest does', async () => {
    const { database } = temporary;
    const closed = jest.spyOn(database, 'close').mockResolvedValue();
    const app = await NestFactory.createApplicationContext(
      { module: KennelsModule, imports: [DatabaseModule.forRoot(database)] },
      { logger: false },
    );
    await app.get(KennelsService).kennels.save({ name: 'North' });
    await app.close();
    closed.mockRestore();

    expect(await names()).toEqual(['North']);
    expect(Reflect.getMetadata('self:paramtypes', KennelsService)).toEqual([
      { index: 0, param: 'KennelRepository' },
    ]);
  });

  it('says which record is in no table of the database', () => {
    expect(() => temporary.database.repository(Unlisted)).toThrow(
      'Unlisted is in none of the tables that the database was opened with. Add it to the `records` of one.',
    );
  });

  it('saves, finds, counts, changes and removes, with the types of the record', async () => {
    const north = await kennels.save(kennels.create({ name: 'North' }));
    await kennels.save([
      { name: 'South', isHeated: false, places: 3 },
      { name: 'West', bowls: [{ color: 'red' }] },
    ]);

    expect(north).toEqual({
      id: 1,
      name: 'North',
      isHeated: true,
      places: 0,
      area: 0,
      builtAt: expect.any(Date) as Date,
      version: 1,
    });
    expect(await kennels.findOneBy({ id: 1 })).toEqual(north);
    expect(await kennels.findAndCount({ where: { isHeated: true }, skip: 1, take: 1 })).toMatchObject([
      [{ name: 'West' }],
      2,
    ]);
    expect(await kennels.findOne({ where: { name: 'West' }, relations: { bowls: true } })).toMatchObject({
      bowls: [{ id: 1, color: 'red' }],
    });
    expect(await kennels.sum('places')).toBe(3);
    expect(await kennels.existsBy({ isHeated: false })).toBe(true);

    north.places = 5;
    expect(await kennels.save(north)).toMatchObject({ places: 5, version: 2 });
    await kennels.increment({ id: 1 }, 'places', 2);
    expect(await kennels.update({ name: 'South' }, { isHeated: true })).toMatchObject({ affected: 1 });
    expect((await kennels.insert({ name: 'East' })).identifiers).toEqual([{ id: 4 }]);
    await kennels.upsert({ name: 'East', places: 9 }, ['name']);
    await kennels.remove((await kennels.findOneBy({ name: 'South' }))!);
    expect(await kennels.delete({ name: 'West', isHeated: false })).toMatchObject({ affected: 0 });
    const found = await kennels.find({ order: { id: 'ASC' }, select: { name: true, places: true } });
    expect(found).toEqual([
      { name: 'North', places: 7 },
      { name: 'West', places: 0 },
      { name: 'East', places: 9 },
    ]);
  });

  it('runs query builders and SQL of their own', async () => {
    await kennels.createQueryBuilder().insert().values({ name: 'North', places: 2 }).execute();
    await kennels
      .createQueryBuilder()
      .update()
      .set({ places: 4 })
      .where('name = :name', { name: 'North' })
      .execute();

    const builder = kennels
      .createQueryBuilder('kennel')
      .where('kennel.isHeated = :isHeated', { isHeated: true });
    expect(await builder.getMany()).toMatchObject([{ id: 1, places: 4 }]);
    expect(Number((await builder.select('MAX(kennel.places)', 'most').getRawOne())!.most)).toBe(4);
    await kennels.query("UPDATE kennels SET name = 'Far North'");
    expect(await names()).toEqual(['Far North']);
  });

  it('reads committed rows only, without waiting for the unit that writes', async () => {
    const { database } = temporary;
    await database.run(async (transaction) => {
      const inside = database.entityManager(transaction).withRepository(kennels);
      await inside.save({ name: 'North' });

      expect(await inside.count()).toBe(1);
      expect(await kennels.count()).toBe(0);
    });

    expect(await kennels.count()).toBe(1);
  });

  it('becomes part of the transaction that encloses it', async () => {
    const { database } = temporary;
    const failing = database.enclose(async () => {
      await kennels.save({ name: 'North' });
      expect(await kennels.find()).toMatchObject([{ name: 'North' }]);
      throw new Error('changed their mind');
    });

    await expect(failing).rejects.toThrow('changed their mind');
    expect(await names()).toEqual([]);
  });

  it('stores all of one call or nothing, and reports a second name as statements do', async () => {
    await kennels.insert({ name: 'South' });

    await expect(kennels.save([{ name: 'North' }, { name: 'South' }])).rejects.toBeInstanceOf(
      UniqueViolation,
    );
    expect(await names()).toEqual(['South']);
  });

  it('finds by a fraction what has it', async () => {
    await kennels.insert({ name: 'North', area: 0.1 });
    expect(await kennels.findBy({ area: 0.1 })).toMatchObject([{ name: 'North' }]);
  });

  it.each([3_000_000_000, -3_000_000_000, 1e300, NaN, Infinity])(
    'finds nothing by %d, which no integer of a column is, and changes nothing',
    async (id) => {
      await kennels.insert({ name: 'North', places: 1 });

      expect(await kennels.findOneBy({ id })).toBeNull();
      expect(await kennels.findOneBy([{ id }, { name: 'North' }])).toMatchObject({ name: 'North' });
      expect(await kennels.countBy({ places: Not(id) })).toBe(Number.isFinite(id) ? 1 : 0);
      expect(await kennels.update(id, { places: 7 })).toMatchObject({ affected: 0 });
      expect(await kennels.update({ id }, { places: 7 })).toMatchObject({ affected: 0 });
      expect(await kennels.delete(id)).toMatchObject({ affected: 0 });
      expect(await kennels.delete({ places: id })).toMatchObject({ affected: 0 });
      expect(await kennels.find()).toMatchObject([{ name: 'North', places: 1 }]);
    },
  );

  it('begins no transaction, and says what to use', async () => {
    const message = /^A stock repository begins no transaction\. Use UnitOfWork\.run\(\)/;
    const { manager } = kennels;

    await expect(manager.transaction(() => Promise.resolve())).rejects.toThrow(message);
    await expect(kennels.queryRunner!.startTransaction()).rejects.toThrow(message);
    await expect(manager.dataSource.transaction(() => Promise.resolve())).rejects.toThrow(message);
    await expect(manager.dataSource.createQueryRunner().startTransaction()).rejects.toThrow(message);
  });

  it('reads and writes like that by the DataSource of its manager, too', async () => {
    const { database } = temporary;
    const { dataSource } = kennels.manager;
    await dataSource.manager.save(Kennel, { name: 'North' });
    await dataSource.query("UPDATE kennels SET places = 7 WHERE name = 'North'");
    const runner = dataSource.createQueryRunner();
    await runner.connect();
    await runner.manager.save(Kennel, { name: 'South' });
    await runner.release();
    await database.run(async (transaction) => {
      await database.entityManager(transaction).dataSource.getRepository(Kennel).count();
    });

    expect(await dataSource.getRepository(Kennel).find({ order: { id: 'ASC' } })).toMatchObject([
      { id: 1, name: 'North', places: 7 },
      { id: 2, name: 'South' },
    ]);
  });

  it('stores what many callers write at once', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_each, number) => kennels.save({ name: `Kennel ${number}` })),
    );

    expect(await kennels.count()).toBe(30);
  });

  if (_ === 'PostgreSQL') {
    /** Fails the first time: a sequence is not rolled back. */
    const failOnce = (trigger: string, timing: string) => [
      'CREATE SEQUENCE IF NOT EXISTS failures',
      'ALTER SEQUENCE failures RESTART',
      `CREATE OR REPLACE FUNCTION fail_once() RETURNS trigger AS $$ BEGIN
         IF nextval('failures') = 1 THEN RAISE EXCEPTION 'once' USING ERRCODE = '40001'; END IF;
         RETURN NEW; END $$ LANGUAGE plpgsql`,
      `CREATE ${trigger} fail_once ${timing} FOR EACH ROW EXECUTE FUNCTION fail_once()`,
    ];

    afterEach(() => sql('DROP TRIGGER IF EXISTS fail_once ON kennels'));

    it('writes again after a deadlock, and gives the entity the id of the row that is stored', async () => {
      for (const text of failOnce('TRIGGER', 'AFTER INSERT ON kennels')) await sql(text);

      const saved = await kennels.save({ name: 'North' });

      expect(await kennels.find()).toMatchObject([{ id: saved.id, name: 'North', version: 1 }]);
    });

    it('does not write again when it has set ids already: the caller is to repeat the request', async () => {
      const deferred = 'DEFERRABLE INITIALLY DEFERRED';
      const timing = `AFTER INSERT ON kennels ${deferred}`;
      for (const text of failOnce('CONSTRAINT TRIGGER', timing)) await sql(text);

      await expect(kennels.save({ name: 'North' })).rejects.toBeInstanceOf(StorageUnavailable);
      expect(await names()).toEqual([]);
    });
  }
});
