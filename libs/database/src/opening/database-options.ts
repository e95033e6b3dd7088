import type { Clock } from '@animal-store/kernel';
import type { DataSourceOptions } from 'typeorm';
import type { OnStatement } from '../statements/record-statements.js';

/** Which database to open, and its limits. All times are in milliseconds. */
export type DatabaseOptions = SqliteOptions | PostgresOptions;

export interface SqliteOptions {
  /** SQLite, within the process. */
  readonly kind: 'sqlite';
  /** The path of its file, which is created when it is missing. */
  readonly file: string;
  /** How long a write waits while another process writes. */
  readonly lockTimeoutMs: number;
  /** How long a starting server waits for the previous one to release the file. */
  readonly handoverTimeoutMs: number;
}

export interface PostgresOptions {
  /** A PostgreSQL server. */
  readonly kind: 'postgres';
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** The name of the service, which the server shows beside its connections. */
  readonly applicationName?: string;
  /** The same database on further hosts. The one that is the primary is used. */
  readonly otherUrls: readonly string[];
  /** The maximum of connections for requests, reads and writes together. */
  readonly poolSize: number;
  /** How many reads, and how many writes, may wait for a connection of the pool. */
  readonly queueSize: number;
  /** How long a statement may run before the server cancels it. */
  readonly statementTimeoutMs: number;
  /** How long a new connection may take. */
  readonly connectTimeoutMs: number;
  /** How long a starting server waits for the locks of a migration. */
  readonly migrationTimeoutMs: number;
}

/** The only server on a database file. PostgreSQL may have any number of servers. */
export interface SoleUser {
  /** Shown to other processes that find the file in use, such as 'the server'. */
  readonly name: string;
  /** The time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

export interface OpeningOptions {
  /** The clock of the host, which is compared with that of PostgreSQL. Default: that of the process. */
  readonly clock?: Clock;
  /**
   * Locks a SQLite database until it is closed or the process ends. Without it the file is shared, as the `keys`
   * command line shares it with a server.
   */
  readonly soleUser?: SoleUser;
  /** Called with a sentence when a migration has to wait for other users of PostgreSQL. */
  readonly onWaiting?: (sentence: string) => void;
  /** Called with every statement that is built, for tests and tools. */
  readonly onStatement?: OnStatement;
}

/** The tables, for TypeORM. */
export type Contents = Pick<DataSourceOptions, 'entities' | 'migrations' | 'migrationsTransactionMode'>;
