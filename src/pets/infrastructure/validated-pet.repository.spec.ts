import fc from 'fast-check';
import pg from 'pg';
import { openDatabase } from '../../platform/database/data-source.js';
import type { Database } from '../../platform/database/database.js';
import { StallingProxy } from '../../platform/database/testing/stalling-proxy.js';
import {
  describeOnPostgres,
  temporaryPostgres,
  temporaryPostgresSettings,
} from '../../platform/database/testing/temporary-database.js';
import type { Page } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';
import { aPet } from '../testing/pet.builder.js';
import { petRepositoryContract } from '../testing/pet.repository.contract.js';
import { petsTables } from './pets.tables.js';
import { TypeOrmPetRepository } from './typeorm-pet.repository.js';
import { ValidatedPetRepository } from './validated-pet.repository.js';

const FIRST_TWO = { limit: 2, after: null };

describeOnPostgres('ValidatedPetRepository', () => {
  petRepositoryContract(async () => {
    const { database, remove } = await temporaryPostgres(petsTables);
    const pets = new ValidatedPetRepository(new TypeOrmPetRepository(database), database);
    return { pets, unitOfWork: database, close: remove };
  });

  describe('in two servers', () => {
    /** The responses of PostgreSQL to the first server, which may be late. */
    let proxy: StallingProxy;
    let servers: { database: Database; stored: TypeOrmPetRepository; pets: ValidatedPetRepository }[];
    let pets: ValidatedPetRepository;
    let client: pg.Client;

    beforeEach(async () => {
      const settings = await temporaryPostgresSettings();
      proxy = await StallingProxy.start(settings.url);
      servers = [];
      for (const url of [proxy.urlOf(settings.url), settings.url]) {
        const database = await openDatabase({ ...settings, url }, [petsTables]);
        const stored = new TypeOrmPetRepository(database);
        servers.push({ database, stored, pets: new ValidatedPetRepository(stored, database) });
      }
      pets = servers[0]!.pets;
      client = new pg.Client({ connectionString: settings.url });
      await client.connect();
    });

    afterEach(async () => {
      jest.restoreAllMocks();
      proxy.resume();
      await client.end();
      for (const { database } of servers) await database.close();
      await proxy.stop();
    });

    /** Adds an animal by the second server. */
    function add(status: PetStatus = 'available'): Promise<Pet> {
      const server = servers[1]!;
      return server.database.run((transaction) => server.pets.add(aPet({ status }), transaction));
    }

    function turn(id: bigint, action: 'reserve' | 'sell' | 'release'): Promise<unknown> {
      const server = servers[1]!;
      return server.database.run((transaction) =>
        server.pets.change(id, (pet) => pet[action](), transaction),
      );
    }

    /** The page that a request gets while another one reads. */
    async function listTogether(
      request = FIRST_TWO,
      filter: { status?: PetStatus } = {},
    ): Promise<Page<Pet>> {
      const [, page] = await Promise.all([pets.list(filter, request), pets.list(filter, request)]);
      return page;
    }

    const cacheUse = () => ({ ...servers[0]!.database.caches.get('first_pages') });

    it('returns the same page object until another server changes the page', async () => {
      for (let count = 0; count < 4; count++) await add();
      const page = await listTogether();
      await turn(4n, 'reserve');
      expect(await listTogether()).toBe(page);

      await turn(2n, 'reserve');
      const changed = await listTogether();
      expect(changed.items.map(({ status }) => status)).toEqual(['available', 'pending']);
      expect(await listTogether()).toBe(changed);
    });

    it('returns a page that no caller can change', async () => {
      for (let count = 0; count < 3; count++) await add();
      const page = await listTogether();

      expect(() => ((page as { next: unknown }).next = null)).toThrow(TypeError);
      expect(() => (page.items as Pet[]).pop()).toThrow(TypeError);
      expect(() => ((page.items[0] as { status: string }).status = 'sold')).toThrow(TypeError);
      expect(() => ((page.next as { id: bigint }).id = 0n)).toThrow(TypeError);
    });

    it('sees whatever changes in a row, also another animal in place of one that a fail-over lost', async () => {
      for (let count = 0; count < 2; count++) await add();
      await listTogether();
      await client.query('UPDATE pets SET name = \'Mia, "the cat"\' WHERE id = 1');
      expect((await listTogether()).items[0]!.name).toBe('Mia, "the cat"');

      await client.query('DELETE FROM pets WHERE id = 2');
      await client.query(
        "INSERT INTO pets (id, name, category_id, status) VALUES (2, 'Kim', 9, 'available')",
      );
      expect((await listTogether()).items[1]).toEqual({
        id: 2n,
        name: 'Kim',
        categoryId: 9n,
        status: 'available',
      });
    });

    it('reads a page that nobody else reads directly, with one statement and without the cache', async () => {
      await add();
      await listTogether();
      const before = cacheUse();
      const sent = jest.spyOn(pg.Client.prototype, 'query');
      for (let count = 0; count < 3; count++) await pets.list({}, FIRST_TWO);

      expect(sent).toHaveBeenCalledTimes(3);
      expect(cacheUse()).toEqual(before);
    });

    it('validates all the pages that are wanted together with one statement', async () => {
      await add();
      const filters = [{}, ...PET_STATUSES.map((status) => ({ status }))];
      const limits = [1, 2, 3].map((limit) => ({ limit, after: null }));
      const readAll = () =>
        Promise.all(limits.flatMap((request) => filters.map((filter) => pets.list(filter, request))));
      await readAll();
      await readAll();
      const { hits } = cacheUse();
      const sent = jest.spyOn(pg.Client.prototype, 'query');
      await readAll();

      // The first one directly, and the others with and without a filter.
      expect(sent).toHaveBeenCalledTimes(3);
      expect(cacheUse().hits).toBe(hits! + 11);
    });

    it('counts what the cache had and what it had not', async () => {
      await add();
      const together = () => Promise.all([1, 2, 3].map(() => pets.list({}, FIRST_TWO)));
      await together();
      expect(cacheUse()).toEqual({ hits: 0, misses: 2 });
      await together();
      expect(cacheUse()).toEqual({ hits: 2, misses: 2 });
      await add();
      await together();
      expect(cacheUse()).toEqual({ hits: 2, misses: 4 });
    });

    it('shows every change that was committed before the list was asked for', async () => {
      const status = fc.constantFrom(...PET_STATUSES);
      const change = fc.oneof(
        fc.record({ do: fc.constant('add' as const), status }),
        fc.record({
          do: fc.constantFrom('reserve' as const, 'sell' as const, 'release' as const),
          id: fc.bigInt(1n, 6n),
        }),
      );
      const step = fc.record({ turns: fc.nat({ max: 20 }), change });
      const delays = fc.array(fc.record({ turns: fc.nat({ max: 20 }), during: fc.nat({ max: 80 }) }), {
        maxLength: 6,
      });
      const reads = fc.array(
        fc.record({
          turns: fc.nat({ max: 300 }),
          who: fc.constantFrom(0, 1),
          filter: fc.option(status, { nil: undefined }),
          limit: fc.integer({ min: 1, max: 4 }),
        }),
        { minLength: 20, maxLength: 60 },
      );
      const pause = async (turns: number) => {
        for (let turned = 0; turned < turns; turned++) await new Promise(setImmediate);
      };

      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 10 }), delays, reads, async (steps, late, wanted) => {
          await client.query('TRUNCATE pets RESTART IDENTITY');
          /** Every state that the animals ever had, in sequence: one write follows the other. */
          const history: PetStatus[][] = [[]];
          let committed = 0;
          const writing = (async () => {
            for (const { turns, change } of steps) {
              await pause(turns);
              const animals = [...history.at(-1)!];
              if (change.do === 'add') animals.push(change.status);
              else {
                const to = { reserve: 'pending', sell: 'sold', release: 'available' } as const;
                const from = change.do === 'reserve' ? 'available' : 'pending';
                const index = Number(change.id) - 1;
                if (animals[index] !== from) continue;
                animals[index] = to[change.do];
              }
              const before = history.length;
              // What is being written may be seen already.
              history.push(animals);
              if (change.do === 'add') await add(change.status);
              else await turn(change.id, change.do);
              committed = before;
            }
          })();
          const delaying = (async () => {
            for (const { turns, during } of late) {
              await pause(turns);
              proxy.holdResponses();
              await pause(during);
              proxy.resume();
            }
          })();
          const reading = wanted.map(async ({ turns, who, filter, limit }) => {
            await pause(turns);
            const oldest = committed;
            const { items } = await servers[who]!.pets.list({ status: filter }, { limit, after: null });
            const seen = items.map(({ id, status }) => `${id} ${status}`);
            const possible = history.slice(oldest).map((animals) =>
              animals
                .map((each, index) => ({ each, line: `${index + 1} ${each}` }))
                .filter(({ each }) => filter === undefined || each === filter)
                .slice(0, limit)
                .map(({ line }) => line),
            );
            expect(possible).toContainEqual(seen);
          });
          await Promise.all([writing, delaying, ...reading]);
        }),
        { numRuns: 40 },
      );
      expect(cacheUse().hits).toBeGreaterThan(100);
    });
  });
});
