import { DomainError } from '@animal-store/kernel';

export class VisitNotFound extends DomainError {
  static readonly when = 'No visit has this id.';
  static readonly fix = 'Take the id from the list of visits. Text that is not an int64 also gets 404.';
  static readonly example = new VisitNotFound(7n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('visit_not_found', 'not-found', `No visit has id ${id}.`);
  }
}
