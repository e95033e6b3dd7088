import { Test } from '@nestjs/testing';
import { Injectable } from '@nestjs/common';
import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

import { Database } from './database.js';
import { RepositoryOf } from './repository-of.js';
import { tablesOf } from './testing/tables.js';
import { describeRepository } from './testing/temporary-database.js';

@Entity({ name: 'ships' })
class ShipRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  port: string;

  @Column({ type: 'text' })
  name: string;
}

const tables = tablesOf(
  [ShipRecord],
  'CREATE TABLE ships (id IDENTITY, port text NOT NULL, name text NOT NULL)',
);

@Injectable()
class Ships extends RepositoryOf(ShipRecord, 'ship', {
  toItem: ({ id, name }) => ({ id, called: name }),
  key: ['port', 'id'],
  changes: ['name'],
  list: { equal: ['port', 'name'], optional: ['name'] },
}) {
  private readonly named = this.statements.select<{ name: string }>((ship) =>
    ship.where('ship.name = :name'),
  );

  async isTaken(name: string): Promise<boolean> {
    return (await this.named.getOne({ name })) !== null;
  }
}

describeRepository(Ships, [tables], (open) => {
  let ships: Ships;
  let unitOfWork: Database;

  beforeEach(() => ({ repository: ships, unitOfWork } = open()));

  it('finds a row by its key alone, as the item that is made of it', async () => {
    expect(await ships.add({ port: 'Kiel', name: 'Ada' })).toEqual({ id: 1n, called: 'Ada' });

    expect(await ships.findOneBy({ port: 'Kiel', id: 1n })).toEqual({ id: 1n, called: 'Ada' });
    expect(await ships.findOneBy({ port: 'Oslo', id: 1n })).toBeNull();
  });

  it('has the columns of a row in their order, however it was given, as an ETag is that of a JSON text', async () => {
    const rows = new (RepositoryOf(ShipRecord, 'ship'))(unitOfWork);
    const added = await rows.add({ name: 'Ada', port: 'Kiel' });

    expect(Object.entries(added)).toEqual(Object.entries((await rows.findOneBy({ id: 1n }))!));
  });

  it('lists the rows that match the filters that are given', async () => {
    for (const name of ['Ada', 'Mia', 'Ada']) await ships.add({ port: 'Kiel', name });
    await ships.add({ port: 'Oslo', name: 'Ada' });
    const ids = async (name?: string) => {
      const { items } = await ships.list({ port: 'Kiel', name }, { limit: 10, after: null });
      return items.map(({ id }) => id);
    };

    expect(await ids()).toEqual([1n, 2n, 3n]);
    expect(await ids('Ada')).toEqual([1n, 3n]);
  });

  it('saves what may change, and nothing else', async () => {
    await ships.add({ port: 'Kiel', name: 'Ada' });
    const moved = { id: 1n, port: 'Oslo', name: 'Mia' };
    await unitOfWork.run((transaction) => ships.save(moved, transaction));

    expect(await ships.findOneBy({ port: 'Kiel', id: 1n })).toEqual({ id: 1n, called: 'Mia' });
  });

  it('saves nothing without `changes`, and says what is missing', async () => {
    const fixed = new (RepositoryOf(ShipRecord, 'ship'))(unitOfWork);
    const saving = unitOfWork.run((transaction) => fixed.save({ id: 1n }, transaction));

    await expect(saving).rejects.toThrow('Nothing of ShipRecord may change: name columns in its `changes`.');
  });

  it('removes the row with the key', async () => {
    for (const name of ['Ada', 'Mia']) await ships.add({ port: 'Kiel', name });
    await unitOfWork.run(async (transaction) => {
      await ships.remove({ port: 'Oslo', id: 1n }, transaction);
      await ships.remove({ port: 'Kiel', id: 2n }, transaction);
    });

    const { items } = await ships.list({ port: 'Kiel' }, { limit: 10, after: null });
    expect(items).toEqual([{ id: 1n, called: 'Ada' }]);
  });

  it('locks a row that is found in a transaction until that ends', async () => {
    await ships.add({ port: 'Kiel', name: '0' });
    const rename = () =>
      unitOfWork.run(async (transaction) => {
        const { called } = (await ships.findOneBy({ port: 'Kiel', id: 1n }, transaction))!;
        await ships.save({ id: 1n, name: String(Number(called) + 1) }, transaction);
      });
    await Promise.all(Array.from({ length: 20 }, rename));

    expect(await ships.findOneBy({ port: 'Kiel', id: 1n })).toEqual({ id: 1n, called: '20' });
  });

  it('has further statements of its own', async () => {
    await ships.add({ port: 'Kiel', name: 'Ada' });

    expect(await ships.isTaken('Ada')).toBe(true);
    expect(await ships.isTaken('Mia')).toBe(false);
  });

  it('is given the Database by Nest, without a constructor of its own', async () => {
    await ships.add({ port: 'Kiel', name: 'Ada' });
    const module = await Test.createTestingModule({
      providers: [Ships, { provide: Database, useValue: unitOfWork }],
    }).compile();

    expect(await module.get(Ships).findOneBy({ port: 'Kiel', id: 1n })).toEqual({ id: 1n, called: 'Ada' });
  });
});
