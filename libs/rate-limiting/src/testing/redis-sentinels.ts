import { until } from './redis-cluster.js';
import { RedisServer } from './redis-server.js';

const PRIMARY = 'store';
const KINDS = ['standalone', 'standalone', 'sentinel', 'sentinel', 'sentinel'] as const;

/** A primary with a replica, and Sentinels that watch them, on free ports of the loopback interface. */
export class RedisSentinels {
  private constructor(
    readonly servers: readonly RedisServer[],
    private readonly sentinels: readonly RedisServer[],
  ) {}

  static async start(): Promise<RedisSentinels> {
    const started: RedisServer[] = [];
    for (const kind of KINDS) started.push(await RedisServer.start(kind));
    const group = new RedisSentinels(started.slice(0, 2), started.slice(2));
    try {
      await group.join();
    } catch (error) {
      await group.stop();
      throw error;
    }
    return group;
  }

  get url(): string {
    return `redis+sentinel://${this.sentinels.map(({ name }) => name).join(',')}/${PRIMARY}`;
  }

  /** The primary, as Sentinels know it. */
  async primary(): Promise<RedisServer> {
    const [, port] = await this.sentinels[0]!.call<[string, string]>(
      'SENTINEL',
      'GET-MASTER-ADDR-BY-NAME',
      PRIMARY,
    );
    return this.servers.find((server) => server.port === Number(port))!;
  }

  /** Resolves when Sentinels have chosen another primary, and this one is writable. */
  async untilReplaced(former: RedisServer): Promise<RedisServer> {
    let primary = former;
    await until(async () => {
      primary = await this.primary();
      return primary !== former && (await primary.call('INFO', 'replication')).includes('role:master');
    });
    return primary;
  }

  /** Makes a replica the primary, although the present one responds. */
  async failOver(): Promise<void> {
    await this.sentinels[0]!.call('SENTINEL', 'FAILOVER', PRIMARY);
  }

  /** Makes a former primary that is back a replica of the present one, as Sentinels do some seconds later. */
  async follow(former: RedisServer): Promise<void> {
    const primary = await this.primary();
    await former.call('REPLICAOF', '127.0.0.1', primary.port);
    // Its clients must query Sentinels again.
    await former.call('CLIENT', 'KILL', 'TYPE', 'normal');
    await this.untilReplicated(former);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.servers].map((server) => server.stop()));
  }

  private async join(): Promise<void> {
    const [primary, replica] = this.servers as [RedisServer, RedisServer];
    await replica.call('REPLICAOF', '127.0.0.1', primary.port);
    await this.untilReplicated(replica);
    for (const sentinel of this.sentinels) {
      await sentinel.call('SENTINEL', 'MONITOR', PRIMARY, '127.0.0.1', primary.port, 2);
      for (const time of ['down-after-milliseconds', 'failover-timeout'])
        await sentinel.call('SENTINEL', 'SET', PRIMARY, time, 1_000);
    }
    await until(async () => {
      const known = await Promise.all(
        this.sentinels.map((sentinel) => sentinel.call<string[]>('SENTINEL', 'MASTER', PRIMARY)),
      );
      return known.every((facts) => {
        const fact = (name: string) => Number(facts[facts.indexOf(name) + 1]);
        return fact('num-slaves') === 1 && fact('num-other-sentinels') === this.sentinels.length - 1;
      });
    });
  }

  private async untilReplicated(replica: RedisServer): Promise<void> {
    await until(async () => (await replica.call('INFO', 'replication')).includes('master_link_status:up'));
  }
}
