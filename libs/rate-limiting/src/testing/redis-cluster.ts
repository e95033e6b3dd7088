import { setTimeout as delay } from 'node:timers/promises';
import { slotOf } from '../redis/cluster-slots.js';
import { RedisServer } from './redis-server.js';

const SLOTS = 16_384;
const LIMIT_MS = 30_000;

/** A real Redis Cluster on free ports of the loopback interface, without persistence. */
export class RedisCluster {
  private constructor(readonly servers: readonly RedisServer[]) {}

  /** @param replicas how many each primary has. Primaries come first in `servers`. */
  static async start(primaries = 3, replicas = 0): Promise<RedisCluster> {
    const started: RedisServer[] = [];
    // One after the other, as two must not find the same ports.
    for (let count = 0; count < primaries * (1 + replicas); count++)
      started.push(await RedisServer.start('cluster'));
    const cluster = new RedisCluster(started);
    try {
      await cluster.join(primaries);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get url(): string {
    return `redis+cluster://${this.servers.map(({ name }) => name).join(',')}`;
  }

  /** The server that is the primary of this key, as the others know it: for a moment of a fail-over, none is. */
  async primaryOf(key: string): Promise<RedisServer> {
    const slot = slotOf(key);
    let primary: RedisServer | undefined;
    await until(async () => {
      const node = await this.anyThatResponds();
      const ranges = await node.call<[first: number, last: number, primary: [host: string, port: number]][]>(
        'CLUSTER',
        'SLOTS',
      );
      const range = ranges.find(([first, last]) => first <= slot && slot <= last);
      primary = this.servers.find(({ port }) => port === range?.[2][1]);
      return primary !== undefined;
    });
    return primary!;
  }

  /** Moves the slot of `key` to another primary, a few keys at a time, with `meanwhile` halfway. */
  async move(key: string, to: RedisServer, meanwhile: () => Promise<void> = async () => {}): Promise<void> {
    const slot = slotOf(key);
    const from = await this.primaryOf(key);
    const ids = await Promise.all([from, to].map((server) => server.call('CLUSTER', 'MYID')));
    const [fromId, toId] = ids as [string, string];
    await to.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
    await from.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
    await meanwhile();
    for (;;) {
      const keys = await from.call<string[]>('CLUSTER', 'GETKEYSINSLOT', slot, 10);
      if (keys.length === 0) break;
      await from.call('MIGRATE', '127.0.0.1', to.port, '', 0, 5_000, 'KEYS', ...keys);
    }
    await meanwhile();
    await to.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    await from.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
  }

  /** Resolves when a replica has all that `primary` has. What it has not is lost when the primary is killed. */
  async untilReplicated(primary: RedisServer): Promise<void> {
    await until(async () => {
      const info = await primary.call('INFO', 'replication');
      const [, offset] = /master_repl_offset:(\d+)/.exec(info) ?? [];
      return info.includes(`state=online,offset=${offset},`);
    });
  }

  /** Resolves when a replica is the primary of what `primary` had, which must have ended. */
  async untilFailedOver(primary: RedisServer, key: string): Promise<void> {
    await until(async () => (await this.primaryOf(key)) !== primary);
  }

  async stop(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()));
  }

  /** Resolves when each server that runs responds, and knows that every slot has a primary. */
  async untilWhole(): Promise<void> {
    await until(async () => {
      const known = await Promise.all(this.servers.map((server) => server.call('CLUSTER', 'INFO')));
      return known.every((info) => info.includes('cluster_state:ok') && info.includes(`slots_ok:${SLOTS}`));
    });
  }

  private async join(primaries: number): Promise<void> {
    const [first, ...others] = this.servers;
    for (const [index, server] of this.servers.entries()) {
      // Different ones from the beginning: otherwise nodes first have to agree.
      await server.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      if (index >= primaries) continue;
      const from = Math.floor((index * SLOTS) / primaries);
      const to = Math.floor(((index + 1) * SLOTS) / primaries) - 1;
      const slots = Array.from({ length: to - from + 1 }, (_, slot) => from + slot);
      await server.call('CLUSTER', 'ADDSLOTS', ...slots);
    }
    for (const other of others) await other.call('CLUSTER', 'MEET', '127.0.0.1', first!.port);
    await this.untilWhole();
    for (const [index, replica] of this.servers.entries()) {
      if (index < primaries) continue;
      const primary = await this.servers[index % primaries]!.call('CLUSTER', 'MYID');
      await until(async () => (await replica.call('CLUSTER', 'NODES')).includes(primary));
      await replica.call('CLUSTER', 'REPLICATE', primary);
    }
    const replicas = this.servers.slice(primaries);
    await until(async () => {
      const known = await Promise.all(replicas.map((replica) => replica.call('INFO', 'replication')));
      return known.every((info) => info.includes('master_link_status:up'));
    });
  }

  private async anyThatResponds(): Promise<RedisServer> {
    return Promise.any(
      this.servers.map(async (server) => {
        await server.call('PING');
        return server;
      }),
    );
  }
}

/** @throws Error when it is not true within half a minute */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadlineMs = Date.now() + LIMIT_MS;
  while (!(await condition())) {
    if (Date.now() > deadlineMs) throw new Error(`It is not true: ${condition.toString()}`);
    await delay(20);
  }
}
