import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Transaction } from '@animal-store/kernel';
import type { OpeningOptions, PostgresOptions } from '../opening/database-options.js';
import { openDatabase, type Tables } from '../opening/data-source.js';
import type { Database } from '../database.js';
import type { SqlTransaction } from '../sql-session.js';
import { StallingProxy } from './stalling-proxy.js';
import { StatementCatalogue } from './statement-catalogue.js';
import { temporaryPostgresOptions, unpooled } from './temporary-database.js';

/** A new schema on the PostgreSQL of the run, for each test of a `describe`: its database, and another user. */
export class NewPostgres {
  settings!: PostgresOptions;
  database!: Database;
  /** Those of `database`. */
  statements!: StatementCatalogue;
  /** Another user of the same schema. */
  other!: pg.Client;
  private proxies: StallingProxy[] = [];

  private constructor(private readonly tables: Tables) {}

  static forEachTest(tables: Tables, changed: Partial<PostgresOptions> = {}): NewPostgres {
    const postgres = new NewPostgres(tables);
    beforeEach(() => postgres.open(changed));
    afterEach(() => postgres.close());
    return postgres;
  }

  private async open(changed: Partial<PostgresOptions>): Promise<void> {
    this.settings = { ...(await temporaryPostgresOptions()), ...changed };
    this.statements = new StatementCatalogue();
    this.database = await this.openAnother({}, { onStatement: this.statements.add });
    this.other = new pg.Client({ connectionString: unpooled(this.settings.url) });
    await this.other.connect();
  }

  private async close(): Promise<void> {
    jest.restoreAllMocks();
    await this.other.end();
    for (const proxy of this.proxies) proxy.resume();
    await this.database.close();
    await Promise.all(this.proxies.splice(0).map((proxy) => proxy.stop()));
  }

  /** A further server on the same schema, which the test closes. */
  openAnother(changed: Partial<PostgresOptions> = {}, opening?: OpeningOptions): Promise<Database> {
    return openDatabase({ ...this.settings, ...changed }, [this.tables], opening);
  }

  async reopen(changed: Partial<PostgresOptions>): Promise<void> {
    await this.database.close();
    this.database = await this.openAnother(changed);
  }

  /** A way to PostgreSQL that can stall, and its URL. */
  async openProxy(): Promise<{ proxy: StallingProxy; url: string }> {
    const proxy = await StallingProxy.start(this.settings.url);
    this.proxies.push(proxy);
    return { proxy, url: proxy.urlOf(this.settings.url) };
  }

  run<T>(work: (session: SqlTransaction, transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.run((transaction) => work(this.database.session(transaction), transaction));
  }

  /** Begins a write that holds its connection until the returned function is called. */
  async hold(database = this.database): Promise<() => Promise<void>> {
    let end = () => {};
    let writing: Promise<void> | undefined;
    await new Promise<void>((begun) => {
      writing = database.run(async (transaction) => {
        await database.session(transaction).query('SELECT 1');
        begun();
        return new Promise((resolve) => (end = resolve));
      });
    });
    return () => {
      end();
      return writing!;
    };
  }

  /** The sessions that wait for a lock which `other` has, when there are so many. */
  async waitingForOther(count = 1): Promise<number[]> {
    const sql = `SELECT DISTINCT pid FROM pg_locks
      WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid))`;
    for (;;) {
      const { rows } = await this.other.query<{ pid: number }>(sql);
      if (rows.length === count) return rows.map(({ pid }) => pid);
      // The sessions need the core.
      await delay(2);
    }
  }

  /** Breaks the connections of those sessions, as an administrator or a restart does. */
  async breakWaiting(): Promise<void> {
    for (const pid of await this.waitingForOther())
      await this.other.query('SELECT pg_terminate_backend($1, 1000)', [pid]);
  }
}

/** Resolves when a check succeeds: one that began earlier may still fail. */
export async function isBack(database: Database): Promise<void> {
  const succeeds = () =>
    database.check().then(
      () => true,
      () => false,
    );
  while (!(await succeeds()));
}
