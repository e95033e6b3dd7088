/** A row with this key exists already. Repositories translate it into a domain error, or retry. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('A row with the same unique key exists.', { cause });
    this.name = 'UniqueViolation';
  }
}
