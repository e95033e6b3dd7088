import { describeRepository } from '@animal-store/database/testing';
import type { VisitRepository } from '../domain/visit.repository.js';
import { TypeOrmVisitRepository } from './typeorm-visit.repository.js';
import { visitsTables } from './visits.tables.js';

describeRepository(TypeOrmVisitRepository, [visitsTables], (open) => {
  let visits: VisitRepository;

  beforeEach(() => ({ repository: visits } = open()));

  it('finds a visit as it was added, and null for an id that no visit has', async () => {
    const visit = await visits.add({ name: 'Łucja 🦜' });

    expect(visit).toEqual({ id: 1n, name: 'Łucja 🦜' });
    expect(await visits.findOneBy({ id: 1n })).toEqual(visit);
    expect(await visits.findOneBy({ id: 2n ** 63n - 1n })).toBeNull();
  });

  it('lists page by page, ascending by id', async () => {
    for (const name of ['Robin', 'Kim', 'Ada']) await visits.add({ name });
    const first = await visits.list({}, { limit: 2, after: null });
    const last = await visits.list({}, { limit: 2, after: first.next });

    expect([first, last].map(({ items }) => items.map(({ id }) => id))).toEqual([[1n, 2n], [3n]]);
    expect(last.next).toBeNull();
  });
});
