import type { DatabaseOptions } from './database-options.js';

/** The database cannot be opened or migrated. The message is one line and contains no password. */
export class DatabaseNotOpened extends Error {
  constructor(settings: DatabaseOptions, cause: unknown) {
    super(messageOf(settings, reasonOf(cause)), { cause });
    this.name = 'DatabaseNotOpened';
  }
}

function messageOf(settings: DatabaseOptions, reason: string): string {
  // Node says so of a native module that was built for another version of Node.
  if (reason.includes('NODE_MODULE_VERSION'))
    return `Run "npm rebuild better-sqlite3": it was installed for another version of Node than this one (${process.version}).`;
  // The package looks for it in a dozen places, and names them all.
  if (reason.includes('Could not locate the bindings file'))
    return 'Run "npm rebuild better-sqlite3": its program for this machine is missing.';
  return `The database ${nameOf(settings)} cannot be opened: ${reason}.`;
}

/** The name of a database in messages, without its password. */
export function nameOf(settings: DatabaseOptions): string {
  if (settings.kind === 'sqlite') return `file ${settings.file}`;
  const hosts = [settings.url, ...settings.otherUrls].map((url) => new URL(url).host);
  return `at ${hosts.join(',')}${new URL(settings.url).pathname}`;
}

function reasonOf(cause: unknown): string {
  // When a host has several addresses, the error has one error per address and no message.
  const { message, errors } = cause as Partial<AggregateError>;
  const text = message || String((errors?.[0] as Error | undefined)?.message ?? cause);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}
