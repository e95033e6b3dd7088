import type { Settings } from '../config/settings.js';

/** The database cannot be opened or migrated. The message is one line and contains no password. */
export class DatabaseNotOpened extends Error {
  constructor(settings: Settings['database'], cause: unknown) {
    super(`The database ${nameOf(settings)} cannot be opened: ${reasonOf(cause)}.`, { cause });
    this.name = 'DatabaseNotOpened';
  }
}

/** The name of a database in messages, without its password. */
export function nameOf(settings: Settings['database']): string {
  if (settings.kind === 'sqlite') return `file ${settings.file}`;
  const { host, pathname } = new URL(settings.url);
  return `at ${host}${pathname}`;
}

function reasonOf(cause: unknown): string {
  // When a host has several addresses, the error has one error per address and no message.
  const { message, errors } = cause as Partial<AggregateError>;
  const text = message || String((errors?.[0] as Error | undefined)?.message ?? cause);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}
