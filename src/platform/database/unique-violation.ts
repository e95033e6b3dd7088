/** A row with this key exists already. Repositories turn it into the domain error it means, or into a retry. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('A row with the same unique key exists.', { cause });
    this.name = 'UniqueViolation';
  }
}
