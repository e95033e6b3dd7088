import { Injectable } from '@nestjs/common';
import type { NewVisit, Visit } from '../domain/visit.js';
import { VisitRepository } from '../domain/visit.repository.js';

/** Adds a visit. */
@Injectable()
export class CreateVisit {
  constructor(private readonly visits: VisitRepository) {}

  execute({ name }: NewVisit): Promise<Visit> {
    return this.visits.add({ name });
  }
}
