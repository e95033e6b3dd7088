/** The `code` that both drivers set on their errors; '' for any other error. */
export function errorCode(error: unknown): string {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** A row with this key exists already. Repositories translate it into a domain error, or retry. */
export class UniqueViolation extends Error {
  constructor(cause: unknown) {
    super('A row with the same unique key exists.', { cause });
    this.name = 'UniqueViolation';
  }
}
