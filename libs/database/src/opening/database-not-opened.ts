import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { QueryFailedError, TypeORMError } from 'typeorm';
import type { DatabaseOptions } from './database-options.js';

/** The database cannot be opened or migrated, or its records are wrong. The message is a line without a password. */
export class DatabaseNotOpened extends Error {
  constructor(settings: DatabaseOptions, cause: unknown) {
    const isOfRecords = cause instanceof TypeORMError && !(cause instanceof QueryFailedError);
    const reason = reasonOf(cause);
    super(isOfRecords ? recordProblem(reason) : messageOf(settings, reason), { cause });
    this.name = 'DatabaseNotOpened';
  }
}

function recordProblem(reason: string): string {
  const advice = reason.startsWith('Data type "Object"')
    ? ` TypeScript leaves no more of "number | null": name the type, as in @Column('integer', { nullable: true }).`
    : '';
  return `${reason}.${advice}`;
}

function messageOf(settings: DatabaseOptions, reason: string): string {
  // Node says so of a native module that was built for another version of Node.
  if (reason.includes('NODE_MODULE_VERSION'))
    return `Run "npm rebuild better-sqlite3": it was installed for another version of Node than this one (${process.version}).`;
  // The package looks for it in a dozen places, and names them all.
  if (reason.includes('Could not locate the bindings file'))
    return 'Run "npm rebuild better-sqlite3": its program for this machine is missing.';
  const owner = settings.kind === 'sqlite' && NOT_ALLOWED.test(reason) ? ownerProblem(settings.file) : null;
  const advice = NO_AUTHORITY.test(reason) ? ADVICE_ON_AUTHORITY : '';
  return `The database ${nameOf(settings)} cannot be opened: ${owner ?? reason}.${advice}`;
}

/** What Node says of a certificate that none of its authorities has signed. */
const NO_AUTHORITY = /self-signed certificate|unable to (verify the first|get (local )?issuer) certificate/;
const ADVICE_ON_AUTHORITY =
  ' Add "sslmode=verify-full&sslrootcert=<file>" with the certificate of the server or of its authority to the URL,' +
  ' or "sslmode=no-verify", which encrypts but trusts whoever responds.';

/** Errors of the system and of SQLite for a file without access. Neither names its owner. */
const NOT_ALLOWED = /EACCES|EPERM|unable to open database file|readonly database/;

/** The owner of the file or folder that this process may not open; null when it may. */
function ownerProblem(file: string): string | null {
  const folder = dirname(resolve(file));
  const { R_OK, W_OK, X_OK } = constants;
  // SQLite writes its log beside the file.
  const needs: [part: string, mode: number][] = [[folder, W_OK | X_OK]];
  for (let part = folder; part !== dirname(part); part = dirname(part)) needs.unshift([dirname(part), X_OK]);
  needs.push([file, R_OK | W_OK]);
  const closed = needs.find(([part, mode]) => isClosed(part, mode));
  if (closed === undefined) return null;
  const owner = statSync(closed[0]).uid;
  return `${closed[0]} belongs to ${userName(owner)}, and this process runs as ${userName(process.getuid!())}`;
}

function isClosed(part: string, mode: number): boolean {
  try {
    accessSync(part, mode);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES';
  }
}

/** The name of a user of this machine, or the number where it has none, as in many containers. */
function userName(uid: number): string {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
  return new RegExp(`^([^:]+):[^:]*:${uid}:`, 'm').exec(users)?.[1] ?? `user ${uid}`;
}

/** The name of a database in messages, without its password. */
export function nameOf(settings: DatabaseOptions): string {
  if (settings.kind === 'sqlite') return `file ${settings.file}`;
  const urls = [settings.url, ...settings.otherUrls].map((url) => new URL(url));
  const hosts = urls.map(({ host, searchParams }) => searchParams.get('host') ?? host);
  return `at ${hosts.join(',')}${new URL(settings.url).pathname}`;
}

function reasonOf(cause: unknown): string {
  // When a host has several addresses, the error has one error per address and no message.
  const { message, errors } = cause as Partial<AggregateError>;
  const text = message || String((errors?.[0] as Error | undefined)?.message ?? cause);
  return text.replaceAll(/\s+/g, ' ').replace(/\.$/, '');
}
