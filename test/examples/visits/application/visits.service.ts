import { Injectable } from '@nestjs/common';
import type { NewVisit, Visit } from '../domain/visit.js';
import { VisitNotFound } from '../domain/visit.errors.js';
import { VisitRepository } from '../domain/visit.repository.js';

@Injectable()
export class VisitsService {
  constructor(private readonly visits: VisitRepository) {}

  create(visit: NewVisit): Promise<Visit> {
    return this.visits.add(visit);
  }

  /** @throws VisitNotFound when no visit has this id. */
  async get(id: bigint): Promise<Visit> {
    const visit = await this.visits.findOneBy({ id });
    if (!visit) throw new VisitNotFound(id);
    return visit;
  }
}
