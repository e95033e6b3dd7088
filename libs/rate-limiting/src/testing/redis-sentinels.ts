import { until } from './redis-cluster.js';
import { RedisServer } from './redis-server.js';

const PRIMARY = 'store';

/** A primary with replicas, and Sentinels that watch them, on free ports of the loopback interface. */
export class RedisSentinels {
  private constructor(
    readonly servers: readonly RedisServer[],
    private readonly sentinels: readonly RedisServer[],
  ) {}

  static async start(servers = 2, sentinels = 3): Promise<RedisSentinels> {
    const started: RedisServer[] = [];
    for (let count = 0; count < servers; count++) started.push(await RedisServer.start());
    const watching: RedisServer[] = [];
    for (let count = 0; count < sentinels; count++) watching.push(await RedisServer.start('sentinel'));
    const group = new RedisSentinels(started, watching);
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
    const [primary, ...replicas] = this.servers;
    for (const replica of replicas) {
      await replica.call('REPLICAOF', '127.0.0.1', primary!.port);
      await this.untilReplicated(replica);
    }
    const quorum = Math.floor(this.sentinels.length / 2) + 1;
    for (const sentinel of this.sentinels) {
      await sentinel.call('SENTINEL', 'MONITOR', PRIMARY, '127.0.0.1', primary!.port, quorum);
      await sentinel.call(
        'SENTINEL',
        'SET',
        PRIMARY,
        'down-after-milliseconds',
        1_000,
        'failover-timeout',
        1_000,
      );
    }
    await until(async () => {
      const known = await Promise.all(
        this.sentinels.map((sentinel) => sentinel.call<string[]>('SENTINEL', 'MASTER', PRIMARY)),
      );
      return known.every((facts) => {
        const fact = (name: string) => Number(facts[facts.indexOf(name) + 1]);
        return (
          fact('num-slaves') === replicas.length && fact('num-other-sentinels') === this.sentinels.length - 1
        );
      });
    });
  }

  private async untilReplicated(replica: RedisServer): Promise<void> {
    await until(async () => (await replica.call('INFO', 'replication')).includes('master_link_status:up'));
  }
}
