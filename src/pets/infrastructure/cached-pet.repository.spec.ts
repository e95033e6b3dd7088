import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { emptyBeforeEach, temporarySqlite } from '@animal-store/database/testing';
import { type Page, StorageUnavailable } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet.rules.js';
import { aPet } from '../testing/pet.builder.js';
import { petRepositoryContract } from '../testing/pet.repository.contract.js';
import { CachedPetRepository } from './cached-pet.repository.js';
import { petsTables } from './pets.tables.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';

describe('CachedPetRepository', () => {
  const temporary = emptyBeforeEach(temporarySqlite, petsTables);

  afterEach(() => jest.restoreAllMocks());

  petRepositoryContract(() => {
    const { database } = temporary;
    const repository = new CachedPetRepository(new TypeOrmPetRepository(database), database);
    return { repository, unitOfWork: database };
  });

  describe('beside a repository without a cache', () => {
    let stored: TypeOrmPetRepository;
    let cached: CachedPetRepository;

    beforeEach(() => {
      stored = new TypeOrmPetRepository(temporary.database);
      cached = new CachedPetRepository(stored, temporary.database);
    });

    function add(status: PetStatus = 'available', fails = false): Promise<Pet> {
      return temporary.database.run(async (transaction) => {
        const pet = await cached.add(aPet({ status }), transaction);
        if (fails) throw new Error('changed their mind');
        return pet;
      });
    }

    function turn(id: bigint, action: 'reserve' | 'sell' | 'release', fails = false): Promise<unknown> {
      return temporary.database.run(async (transaction) => {
        await cached.change(id, (pet) => pet[action](), transaction);
        if (fails) throw new Error('changed their mind');
      });
    }

    it('returns the same page object until the page changes', async () => {
      for (let count = 0; count < 3; count++) await add();
      const full = await cached.list({}, { limit: 2, after: null });
      const open = await cached.list({}, { limit: 20, after: null });

      await add();

      expect(await cached.list({}, { limit: 2, after: null })).toBe(full);
      expect(await cached.list({}, { limit: 20, after: null })).not.toBe(open);
    });

    it('reads a list with a further filter, and caches it for no other', async () => {
      await add();
      const byName: object = { name: 'nobody' };
      const none = { items: [], next: null };
      jest.spyOn(stored, 'list').mockImplementationOnce(() => Promise.resolve(none));

      expect(await cached.list(byName, { limit: 20, after: null })).toBe(none);
      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(1);
    });

    it('returns no cached page when the database can no longer be used', async () => {
      await cached.list({}, { limit: 20, after: null });
      const unusable = new StorageUnavailable(new Error('the file was deleted'));
      jest.spyOn(temporary.database, 'assertUsable').mockImplementation(() => {
        throw unusable;
      });

      await expect(cached.list({}, { limit: 20, after: null })).rejects.toBe(unusable);
    });

    it('does not drop the cached pages of a status that an animal neither leaves nor enters', async () => {
      await add('available');
      await add('sold');
      const sold = await cached.list({ status: 'sold' }, { limit: 20, after: null });

      await turn(1n, 'reserve');

      expect(await cached.list({ status: 'sold' }, { limit: 20, after: null })).toBe(sold);
    });

    it('does not cache a page that was read while it changed', async () => {
      let adding: Promise<Pet> | undefined;
      jest.spyOn(stored, 'list').mockImplementationOnce(async (...parameters) => {
        const page: Page<Pet> = await TypeOrmPetRepository.prototype.list.apply(stored, parameters);
        adding = add();
        await adding;
        return page;
      });

      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(0);
      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(1);
    });

    it('shows an animal that was stored although the caller got an error', async () => {
      const lost = new StorageUnavailable(new Error('the connection broke after the commit'));
      jest.spyOn(stored, 'add').mockImplementationOnce(async (pet) => {
        await TypeOrmPetRepository.prototype.add.call(stored, pet);
        throw lost;
      });
      await cached.list({}, { limit: 20, after: null });

      await expect(cached.add(aPet())).rejects.toBe(lost);
      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(1);
    });

    it('drops a page when the change is committed, not before', async () => {
      await temporary.database.run(async (transaction) => {
        await cached.add(aPet(), transaction);
        expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(0);
      });

      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(1);
    });

    it('drops a page when the enclosing transaction is committed, not before', async () => {
      await temporary.database.enclose(async () => {
        await cached.add(aPet());
        expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(0);
      });

      expect((await cached.list({}, { limit: 20, after: null })).items).toHaveLength(1);
    });

    it('returns the same lists as the repository without a cache after any additions and changes', async () => {
      const status = fc.constantFrom(...PET_STATUSES);
      const step = fc.oneof(
        fc.record({ do: fc.constant('add' as const), status, fails: fc.boolean() }),
        fc.record({
          do: fc.constantFrom('reserve' as const, 'sell' as const, 'release' as const),
          id: fc.bigInt(1n, 12n),
          fails: fc.boolean(),
        }),
        fc.record({
          do: fc.constant('list' as const),
          status: fc.option(status, { nil: undefined }),
          limit: fc.integer({ min: 1, max: 6 }),
          after: fc.option(fc.record({ id: fc.bigInt(0n, 12n) }), { nil: null }),
        }),
      );
      // Steps of one group run at the same time.
      const groups = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 25 });

      await fc.assert(
        fc.asyncProperty(groups, async (run) => {
          for (const group of run) {
            await Promise.allSettled(
              group.map(async (action) => {
                if (action.do === 'add') await add(action.status, action.fails);
                else if (action.do === 'list')
                  await cached.list({ status: action.status }, { limit: action.limit, after: action.after });
                else await turn(action.id, action.do, action.fails);
              }),
            );
            for (const filter of [{}, ...PET_STATUSES.map((only) => ({ status: only }))]) {
              for (const limit of [1, 2, 3, 6]) {
                const [fromCache, fresh] = await Promise.all([
                  cached.list(filter, { limit, after: null }),
                  stored.list(filter, { limit, after: null }),
                ]);
                // `expect` takes longer than both lists.
                if (!isDeepStrictEqual(fromCache, fresh)) expect(fromCache).toEqual(fresh);
              }
            }
          }
        }),
        { numRuns: 30 },
      );
    });
  });
});
