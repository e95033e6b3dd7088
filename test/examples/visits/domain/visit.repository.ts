import type { Page, PageRequest } from '@animal-store/kernel';
import type { NewVisit, Visit } from './visit.js';

/** The stored visits. Ids start at 1 and only grow. */
export abstract class VisitRepository {
  /** Stores the visit and gives it its id. */
  abstract add(visit: NewVisit): Promise<Visit>;

  /** The visit, or null when there is none with this id. */
  abstract findOneBy(key: Pick<Visit, 'id'>): Promise<Visit | null>;

  /** The visits that match the filters, a page at a time, ascending by id. */
  abstract list(filters: object, page: PageRequest): Promise<Page<Visit>>;
}
