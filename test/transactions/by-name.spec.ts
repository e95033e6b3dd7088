import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { OrderByName1795100005000 } from '../examples/by-name/infrastructure/migrations/1795100005000-order-by-name.js';
import { TypeOrmVisitNamesRepository } from '../examples/by-name/infrastructure/typeorm-visit-names.repository.js';
import { TypeOrmVisitRepository } from '../examples/visits/infrastructure/typeorm-visit.repository.js';
import { visitsTables } from '../examples/visits/infrastructure/visits.tables.js';

const ordered = { records: [], migrations: [OrderByName1795100005000] };

describe.each(databases)('A list by name on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, visitsTables, ordered);

  async function listed(filter: { name?: string; prefix?: string }): Promise<string[]> {
    const visits = new TypeOrmVisitNamesRepository(temporary.database);
    const names: string[] = [];
    for (let after = null, isLast = false; !isLast;) {
      const { items, next } = await visits.list(filter, { limit: 2, after });
      names.push(...items.map(({ name }) => name));
      [after, isLast] = [next as never, next === null];
    }
    return names;
  }

  beforeEach(async () => {
    const visits = new TypeOrmVisitRepository(temporary.database);
    for (const name of ['Rob', 'rob', 'Ro%', 'Robin', 'Rod', 'Robin', 'Ro🦜', 'Rö', 'S'])
      await visits.add({ name });
  });

  it('has those of a name, exactly', async () => {
    expect(await listed({ name: 'Robin' })).toEqual(['Robin', 'Robin']);
    expect(await listed({ name: 'ROBIN' })).toEqual([]);
  });

  it('has those that begin so, on every page, in the order of their characters', async () => {
    expect(await listed({ prefix: 'Ro' })).toEqual(['Ro%', 'Rob', 'Robin', 'Robin', 'Rod', 'Ro🦜']);
    expect(await listed({ prefix: 'Ro%' })).toEqual(['Ro%']);
    expect(await listed({ name: 'Rod', prefix: 'Rob' })).toEqual([]);
  });
});
