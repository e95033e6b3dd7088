import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { Page, PageRequest } from '@animal-store/kernel';
import type { NewVisit, Visit } from '../domain/visit.js';
import { VisitRepository } from '../domain/visit.repository.js';
import { VisitRecord } from './visit.record.js';

/** The visits in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmVisitRepository extends VisitRepository {
  private readonly statements;

  constructor(database: Database) {
    super();
    const visits = database.statements(VisitRecord, 'visit');
    this.statements = {
      insert: visits.insert(),
      byId: visits.find({ equal: ['id'] }),
      list: visits.list((row): Visit => row),
    };
  }

  async add(visit: NewVisit): Promise<Visit> {
    return { id: await this.statements.insert.execute(visit), ...visit };
  }

  findById(id: bigint): Promise<Visit | null> {
    return this.statements.byId.getOne({ id });
  }

  list(page: PageRequest): Promise<Page<Visit>> {
    return this.statements.list.getPage({}, page);
  }
}
