import type { RepositoryUnderTest } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { PetRepository } from '../domain/pet.repository.js';
import type { PetStatus } from '../domain/pet.rules.js';
import { aPet } from './pet.builder.js';

/** The tests of every PetRepository. The spec of each adapter runs them against a real database. */
export function petRepositoryContract(open: () => RepositoryUnderTest<PetRepository>): void {
  let pets: PetRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: pets, unitOfWork } = open()));

  it('assigns ids from 1 in the sequence of adding', async () => {
    expect((await pets.add(aPet())).id).toBe(1n);
    expect((await pets.add(aPet())).id).toBe(2n);
  });

  it('finds an animal as it was added', async () => {
    const given = { name: 'Łucja 🦜 "); --', categoryId: 9223372036854775807n, status: 'pending' } as const;
    const { id } = await pets.add(aPet(given));

    expect(await pets.findOneBy({ id })).toEqual({ id, ...given });
  });

  it('returns null for an id that no animal has', async () => {
    expect(await pets.findOneBy({ id: 1n })).toBeNull();
    expect(await pets.findOneBy({ id: -(2n ** 63n) })).toBeNull();
    expect(await pets.findOneBy({ id: 2n ** 63n - 1n })).toBeNull();
  });

  it('stores the change of an animal, and changes no other animal', async () => {
    const { id } = await pets.add(aPet({ name: 'Mia', categoryId: 3n }));
    const other = await pets.add(aPet());

    const changed = await unitOfWork.run((transaction) =>
      pets.change(id, (pet) => pet.reserve(), transaction),
    );

    expect(changed).toEqual({ id: 1n, name: 'Mia', categoryId: 3n, status: 'pending' });
    expect(await pets.findOneBy({ id })).toEqual(changed);
    expect(await pets.findOneBy({ id: other.id })).toEqual(other);
  });

  it('locks an animal that stays the same until the transaction ends', async () => {
    const { id } = await pets.add(aPet());
    const order: string[] = [];
    let reserving: Promise<unknown> = Promise.resolve();

    await unitOfWork.run(async (transaction) => {
      await pets.change(id, (pet) => pet, transaction);
      reserving = new Promise(setImmediate)
        .then(() => unitOfWork.run((other) => pets.change(id, (pet) => pet.reserve(), other)))
        .then(() => order.push('reserved'));
      for (let times = 0; times < 20; times++) await pets.change(id, (pet) => pet, transaction);
      order.push((await pets.change(id, (pet) => pet, transaction))!.status);
    });
    await reserving;

    expect(order).toEqual(['available', 'reserved']);
  });

  it('lists a changed animal only under its new status', async () => {
    const { id } = await pets.add(aPet());
    await unitOfWork.run((transaction) => pets.change(id, (pet) => pet.reserve(), transaction));

    const listed = (status: PetStatus) => pets.list({ status }, { limit: 20, after: null });
    expect((await listed('pending')).items).toMatchObject([{ id: 1n }]);
    expect((await listed('available')).items).toEqual([]);
  });

  it('returns null for the change of an animal that does not exist', async () => {
    const changed = await unitOfWork.run((transaction) =>
      pets.change(1n, (pet) => pet.reserve(), transaction),
    );

    expect(changed).toBeNull();
  });

  it('does not change an animal when its change is refused or its transaction fails', async () => {
    const { id } = await pets.add(aPet());
    const refused = unitOfWork.run((transaction) => pets.change(id, (pet) => pet.sell(), transaction));
    const failing = unitOfWork.run(async (transaction) => {
      await pets.change(id, (pet) => pet.reserve(), transaction);
      throw new Error('changed their mind');
    });

    await expect(refused).rejects.toThrow(`Animal ${id} is available and cannot be sold.`);
    await expect(failing).rejects.toThrow('changed their mind');
    expect((await pets.findOneBy({ id }))?.status).toBe('available');
  });

  it('reads the uncommitted changes of its own transaction', async () => {
    const { id } = await pets.add(aPet());

    const sold = await unitOfWork.run(async (transaction) => {
      await pets.change(id, (pet) => pet.reserve(), transaction);
      return pets.change(id, (pet) => pet.sell(), transaction);
    });

    expect(sold?.status).toBe('sold');
  });

  it('lists only the requested status, on every page', async () => {
    for (const status of ['sold', 'available', 'sold', 'pending', 'sold'] as const)
      await pets.add(aPet({ status }));
    const first = await pets.list({ status: 'sold' }, { limit: 2, after: null });
    expect(first.items).toMatchObject([{ id: 1n }, { id: 3n }]);
    const last = await pets.list({ status: 'sold' }, { limit: 2, after: first.next });
    expect(last).toMatchObject({ items: [{ id: 5n }], next: null });
  });

  it('shows an animal to others only after its transaction is committed', async () => {
    const seen = await unitOfWork.run(async (transaction) => {
      const { id } = await pets.add(aPet(), transaction);
      return pets.findOneBy({ id });
    });

    expect(seen).toBeNull();
  });
}
