import type { Settings } from '../config/settings.js';

/** The database cannot be reached or brought up to date. The message is one line and has no password. */
export class DatabaseNotOpened extends Error {
  constructor(settings: Settings['database'], cause: unknown) {
    super(`The database ${nameOf(settings)} cannot be opened: ${reasonOf(cause)}.`, { cause });
    this.name = 'DatabaseNotOpened';
  }
}

/** Without the password. */
export function nameOf(settings: Settings['database']): string {
  if (settings.kind === 'sqlite') return `file ${settings.file}`;
  const { host, pathname } = new URL(settings.url);
  return `at ${host}${pathname}`;
}

function reasonOf(cause: unknown): string {
  // A host with several addresses fails with one error for each and no message of its own.
  const { message, errors } = cause as Partial<AggregateError>;
  const text = message || String((errors?.[0] as Error | undefined)?.message ?? cause);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}
