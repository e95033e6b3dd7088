import type { Database } from '@animal-store/database';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { Visit } from '../../visits/domain/visit.js';
import { VisitRecord } from '../../visits/infrastructure/visit.record.js';

/** The last of all characters. */
const LAST = '\u{10ffff}';

export class TypeOrmVisitNamesRepository {
  private readonly visits: ReturnType<typeof visitsByName>;

  constructor(database: Database) {
    this.visits = visitsByName(database);
  }

  /** By name, and then by id. */
  list({ name, prefix = '' }: { name?: string; prefix?: string }, page: PageRequest): Promise<Page<Visit>> {
    // A further page begins at the last name of the page before.
    const from = page.after === null ? prefix : undefined;
    const range = { from, until: prefix + LAST };
    return this.visits.getPage({ name, ...range }, { ...page, sort: 'name', direction: 'ASC' });
  }
}

function visitsByName(database: Database) {
  return database.statements(VisitRecord, 'visit').list(
    (row): Visit => row,
    { equal: ['name'], optional: ['name', 'from'], sorts: ['name'] },
    (visit, { from }: { from?: string; until: string }) => {
      if (from) visit.andWhere('visit.name >= :from');
      return visit.andWhere('visit.name < :until');
    },
  );
}
