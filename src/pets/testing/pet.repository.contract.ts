import type { RepositoryUnderTest } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { PetRepository } from '../domain/pet.repository.js';
import { aPet } from './pet.builder.js';

/** The tests of every PetRepository. The spec of each adapter runs them against a real database. */
export function petRepositoryContract(open: () => RepositoryUnderTest<PetRepository>): void {
  let pets: PetRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: pets, unitOfWork } = open()));

  async function ids(filter: Parameters<PetRepository['list']>[0], limit: number, afterId: bigint | null) {
    const after = afterId === null ? null : { id: afterId };
    const { items, next } = await pets.list(filter, { limit, after });
    return { ids: items.map(({ id }) => id), nextAfterId: next?.id ?? null };
  }

  it('assigns ids from 1 in the sequence of adding', async () => {
    expect((await pets.add(aPet())).id).toBe(1n);
    expect((await pets.add(aPet())).id).toBe(2n);
  });

  it('finds an animal as it was added', async () => {
    const { id } = await pets.add(aPet({ name: 'Mia', categoryId: 3n, status: 'pending' }));

    expect(await pets.findOneBy({ id })).toEqual({ id, name: 'Mia', categoryId: 3n, status: 'pending' });
  });

  it('returns null for an id that no animal has', async () => {
    expect(await pets.findOneBy({ id: 1n })).toBeNull();
    expect(await pets.findOneBy({ id: -(2n ** 63n) })).toBeNull();
    expect(await pets.findOneBy({ id: 2n ** 63n - 1n })).toBeNull();
  });

  it.each([
    -9223372036854775808n,
    -9007199254740993n,
    -1n,
    0n,
    9007199254740993n,
    9223372036854775806n,
    9223372036854775807n,
  ])('stores the category id %s exactly', async (categoryId) => {
    const { id } = await pets.add(aPet({ categoryId }));

    expect((await pets.findOneBy({ id }))?.categoryId).toBe(categoryId);
  });

  it.each(['🦜', 'Łucja', "Robert'); DROP TABLE pets;--", '日本語の名前', 'e\u0301', '"quoted" \\ back'])(
    'stores the name %s exactly',
    async (name) => {
      const { id } = await pets.add(aPet({ name }));

      expect((await pets.findOneBy({ id }))?.name).toBe(name);
    },
  );

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

    expect((await ids({ status: 'pending' }, 20, null)).ids).toEqual([1n]);
    expect((await ids({ status: 'available' }, 20, null)).ids).toEqual([]);
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

  it('lets only one of many concurrent changes find an animal available', async () => {
    const { id } = await pets.add(aPet());

    const outcomes = await Promise.allSettled(
      Array.from({ length: 50 }, () =>
        unitOfWork.run((transaction) => pets.change(id, (pet) => pet.reserve(), transaction)),
      ),
    );

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await pets.findOneBy({ id }))?.status).toBe('pending');
  });

  it('lists nothing when there are no animals', async () => {
    expect(await ids({}, 20, null)).toEqual({ ids: [], nextAfterId: null });
  });

  it('lists ascending by id and returns where the next page starts', async () => {
    for (let count = 0; count < 5; count++) await pets.add(aPet());

    expect(await ids({}, 2, null)).toEqual({ ids: [1n, 2n], nextAfterId: 2n });
    expect(await ids({}, 2, 2n)).toEqual({ ids: [3n, 4n], nextAfterId: 4n });
    expect(await ids({}, 2, 4n)).toEqual({ ids: [5n], nextAfterId: null });
  });

  it('has no next page after a page that is exactly full', async () => {
    for (let count = 0; count < 2; count++) await pets.add(aPet());

    expect(await ids({}, 2, null)).toEqual({ ids: [1n, 2n], nextAfterId: null });
  });

  it('lists only the requested status, on every page', async () => {
    for (const status of ['sold', 'available', 'sold', 'pending', 'sold'] as const)
      await pets.add(aPet({ status }));

    expect(await ids({ status: 'sold' }, 2, null)).toEqual({ ids: [1n, 3n], nextAfterId: 3n });
    expect(await ids({ status: 'sold' }, 2, 3n)).toEqual({ ids: [5n], nextAfterId: null });
    expect(await ids({ status: 'pending' }, 2, null)).toEqual({ ids: [4n], nextAfterId: null });
  });

  it('stores nothing of a transaction that fails', async () => {
    const failing = unitOfWork.run(async (transaction) => {
      await pets.add(aPet(), transaction);
      throw new Error('the cat got out');
    });

    await expect(failing).rejects.toThrow('the cat got out');
    expect((await ids({}, 20, null)).ids).toEqual([]);
  });

  it('shows an animal to others only after its transaction is committed', async () => {
    const seen = await unitOfWork.run(async (transaction) => {
      const { id } = await pets.add(aPet(), transaction);
      return pets.findOneBy({ id });
    });

    expect(seen).toBeNull();
  });

  it('stores the animals of the other transactions when one of many concurrent transactions fails', async () => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        unitOfWork.run(async (transaction) => {
          const pet = await pets.add(aPet({ name: `animal ${index}` }), transaction);
          if (index % 3 === 0) throw new Error('changed their mind');
          return pet.name;
        }),
      ),
    );

    const acknowledged = outcomes.flatMap((outcome) =>
      outcome.status === 'fulfilled' ? [outcome.value] : [],
    );
    const { items } = await pets.list({}, { limit: 100, after: null });
    expect(acknowledged).toHaveLength(40);
    expect(items.map(({ name }) => name).sort()).toEqual(acknowledged.sort());
  });
}
