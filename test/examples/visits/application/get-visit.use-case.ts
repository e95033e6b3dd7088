import { Injectable } from '@nestjs/common';
import type { Visit } from '../domain/visit.js';
import { VisitNotFound } from '../domain/visit.errors.js';
import { VisitRepository } from '../domain/visit.repository.js';

/** Finds one visit. */
@Injectable()
export class GetVisit {
  constructor(private readonly visits: VisitRepository) {}

  /** @throws VisitNotFound when no visit has this id. */
  async execute(id: bigint): Promise<Visit> {
    const visit = await this.visits.findById(id);
    if (!visit) throw new VisitNotFound(id);
    return visit;
  }
}
