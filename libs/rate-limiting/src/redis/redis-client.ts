import { readRedisUrl } from './redis-url.js';

export type ClientListener = (error: Error, node: string) => void;

/** What both kinds of clients of ioredis have. */
interface Client {
  readonly status: string;
  connect(): Promise<void>;
  defineCommand(name: string, definition: { lua: string; numberOfKeys?: number }): void;
  disconnect(reconnect?: boolean): void;
  hgetall(key: string): Promise<Record<string, string>>;
  on(event: string, listener: ClientListener): unknown;
  off(event: string, listener: ClientListener): unknown;
}

interface Scans {
  scan(
    cursor: string,
    match: 'MATCH',
    pattern: string,
    count: 'COUNT',
    max: number,
  ): Promise<[next: string, keys: string[]]>;
}

/**
 * What the store uses of a client of ioredis, `Redis`, of one server or of the primary that Sentinels know. It is
 * declared here, as not every application installs ioredis.
 */
export interface RedisClient extends Client, Scans {
  info(section: string): Promise<string>;
}

/** What the store uses of a client of ioredis for a Redis Cluster, `Cluster`. */
export interface RedisClusterClient extends Client {
  /** The nodes of each slot, as `host:port`, the primary first. */
  readonly slots: readonly (readonly string[] | undefined)[];
  readonly options: { readonly keyPrefix?: string };
  nodes(role: 'master'): readonly RedisNode[];
}

export interface RedisNode extends Scans {
  readonly status: string;
  readonly options: { readonly host?: string; readonly port?: number };
  /** There is none before the first call of the node. */
  readonly stream?: { cork(): void; uncork(): void };
  disconnect(): void;
}

/** What is the same for every connection. */
const CONNECTION = {
  connectTimeout: 1_000,
  disconnectTimeout: 100,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
} as const;

/** The first refused call notices a fail-over; this is for nodes without calls. */
const SLOTS_EVERY_MS = 5_000;

/**
 * A client that fails at once while there is no connection, sends nothing twice, and never stops trying to connect. It
 * does not connect yet.
 * @throws InvalidRedisUrl
 */
export async function clientFor(url: string): Promise<RedisClient | RedisClusterClient> {
  const address = readRedisUrl(url);
  // Loaded here, so that an application without Redis need not install or load the client.
  const { Cluster, Redis } = await import('ioredis');
  const retryStrategy = (attempt: number) => Math.min(attempt * 50, 500);
  if (address.kind === 'cluster') {
    const { hosts, tls, username, password } = address;
    return new Cluster([...hosts], {
      lazyConnect: true,
      clusterRetryStrategy: retryStrategy,
      // What a node may have counted is not sent again. Only what was not counted is redirected.
      retryDelayOnFailover: 0,
      retryDelayOnClusterDown: 0,
      slotsRefreshInterval: SLOTS_EVERY_MS,
      // The name stays, as a certificate has it.
      dnsLookup: (host, callback) => callback(null, host),
      redisOptions: { ...CONNECTION, username, password, ...(tls && { tls: {} }) },
    });
  }
  const options = {
    ...CONNECTION,
    lazyConnect: true,
    // The commands of one turn of the event loop are sent together. The script is called once a turn as it is.
    enableAutoPipelining: true,
    autoPipeliningIgnoredCommands: ['rateLimitConsume'],
    enableOfflineQueue: false,
    retryStrategy,
  };
  if (address.kind === 'server') return new Redis(address.url, options);
  const { hosts, tls, username, password, db, primary, sentinel } = address;
  return new Redis({
    ...options,
    sentinels: [...hosts],
    name: primary,
    username,
    password,
    db,
    sentinelUsername: sentinel.username,
    sentinelPassword: sentinel.password,
    sentinelRetryStrategy: retryStrategy,
    sentinelCommandTimeout: 1_000,
    // Leaves a primary that Sentinels have replaced, even when it still responds.
    failoverDetector: true,
    sentinelReconnectStrategy: () => 1_000,
    ...(tls && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
  });
}
