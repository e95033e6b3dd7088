import pg from 'pg';

const STATE = `SELECT pg_is_in_recovery() AS "isStandby", pg_backend_pid() AS pid,
  extract(epoch FROM clock_timestamp())::float8 * 1000 AS "nowMs"`;

/** What a primary says of itself. */
interface PrimaryState {
  /** The number of the process that responded. */
  readonly pid: number;
  /** Its time, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
}

/**
 * Queries the server.
 * @throws Error for a hot standby, which would serve old rows and refuse every write.
 */
export async function requirePrimary(client: pg.ClientBase): Promise<PrimaryState> {
  const { rows } = await client.query<PrimaryState & { isStandby: boolean }>(STATE);
  if (rows[0]!.isStandby) throw new Error('it is a hot standby, which accepts no writes');
  return rows[0]!;
}

/** The one host, of those in the settings, that is the primary. New connections go to the host that was found last. */
export class Primary {
  private url: string;
  private finding: Promise<void> | null = null;

  /** @param urls the same database on each of its hosts */
  constructor(
    private readonly urls: readonly string[],
    private readonly connectTimeoutMs: number,
  ) {
    this.url = urls[0]!;
  }

  /** Whether another host may become the primary. */
  get isAmongSeveral(): boolean {
    return this.urls.length > 1;
  }

  /** The options of pg's pool with which each of its connections leads to the host that was found. */
  poolOptions(): Pick<pg.PoolConfig, 'Client'> {
    const currentUrl = () => this.url;
    class Client extends pg.Client {
      constructor(options: pg.ClientConfig) {
        super({ ...options, connectionString: currentUrl() });
      }
    }
    // The types of the pool do not have the options that it passes.
    return { Client: Client as unknown as new () => pg.ClientBase };
  }

  /**
   * Queries all hosts at once and uses the first primary that responds.
   * @throws Error when there is none, with the reason of each host.
   */
  find(): Promise<void> {
    this.finding ??= this.probeAll().finally(() => (this.finding = null));
    return this.finding;
  }

  private async probeAll(): Promise<void> {
    // The pool checks a single host itself.
    if (!this.isAmongSeveral) return;
    try {
      this.url = await Promise.any(this.urls.map((url) => this.probe(url)));
    } catch (error) {
      const reasons = (error as AggregateError).errors.map(
        (reason: Error, index) => `${new URL(this.urls[index]!).host}: ${reason.message}`,
      );
      throw new Error(`no host is a primary (${reasons.join('; ')})`, { cause: error });
    }
  }

  private async probe(url: string): Promise<string> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: this.connectTimeoutMs,
      query_timeout: this.connectTimeoutMs,
    });
    // Without a listener, a connection that breaks while it is closed would end the process.
    client.on('error', () => undefined);
    try {
      await client.connect();
      await requirePrimary(client);
      return url;
    } finally {
      void client.end();
    }
  }
}
