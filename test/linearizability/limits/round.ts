import { setTimeout as delay } from 'node:timers/promises';
import { RedisCluster, RedisSentinels, type RedisServer } from '@animal-store/rate-limiting/testing';
import { accountSubject } from '../../../src/access/domain/ban.js';
import { Cluster } from '../../cluster/cluster.js';
import { Random } from '../../support/random.js';
import type { RoundResult } from '../round.js';
import { type Burst, type Disturbance, limitProblems, overLimit } from './check.js';

const REPLICAS = 3;
const PRIMARIES = 3;
const PER_MINUTE = 20;
/** Each replica alone gets more than the limit, so that one that limits nothing shows. */
const REQUESTS_A_BATCH = 24;
const BATCHES = 4;
const ACCOUNTS = 120;
/** Bursts that run at the same time, so that each node has some. */
const AT_ONCE = 4;
const BETWEEN_MS = 150;
/** Shorter than nodes and Sentinels wait until they replace a primary, and longer. */
const SHORT_PAUSE_MS = 600;
const LONG_PAUSE_MS = 3_000;
/** A replica notices a replaced primary with its next request, and checks again after a second. */
const NOTICED_WITHIN_MS = 1_500;
/** A busy machine is no lost node. */
const SETTINGS = { REDIS_TIMEOUT_MS: '1000' };

export type RedisKind = 'cluster' | 'sentinel';

/** What can happen to several servers. Each resolves when all of them are whole again. */
interface Servers {
  readonly url: string;
  /** The node that counts an account; the same one for all when there is one. */
  nodeOf(account: string): Promise<string>;
  readonly faults: readonly Fault[];
  stop(): Promise<void>;
}

interface Fault {
  readonly name: string;
  /** No count may be lost, and none made elsewhere. */
  readonly isExact?: boolean;
  /** @param account one that is counted now @returns the node whose callers may notice */
  readonly happen: (account: string) => Promise<string>;
}

/** Bursts of accounts at three replicas while primaries of Redis are killed and paused, and slots are moved. */
export async function roundOfLimits(seed: number, kind: RedisKind): Promise<RoundResult> {
  const servers = kind === 'cluster' ? await startCluster() : await startSentinels();
  const environment = { ...SETTINGS, REDIS_URL: servers.url };
  const cluster = await Cluster.start({ size: REPLICAS, database: 'postgres', environment });
  const findings: string[] = [];
  const bursts: Burst[] = [];
  const disturbances: Disturbance[] = [];
  const facts: string[] = [];
  try {
    const keys = await cluster.newKeys(ACCOUNTS + 1, PER_MINUTE, nameOf);
    // The first requests of a replica are slow: on a busy machine, their node would be taken for lost.
    await burst(cluster, keys[ACCOUNTS]!, '');
    const random = new Random(seed, 'faults');
    let next = 0;
    let isOver = false;
    const lanes = Array.from({ length: AT_ONCE }, async () => {
      while (!isOver && next < ACCOUNTS) {
        const index = next++;
        bursts.push(await burst(cluster, keys[index]!, await servers.nodeOf(nameOf(index))));
      }
    });
    const faults = async () => {
      for (const left = [...servers.faults]; left.length > 0;) {
        await delay(random.between(500, 1_500));
        const [fault] = left.splice(random.between(0, left.length - 1), 1);
        const startedMs = performance.now();
        const node = await fault!.happen(nameOf(Math.max(0, next - 1)));
        await cluster.untilWhole();
        const endedMs = performance.now();
        if (!fault!.isExact) disturbances.push({ startedMs, endedMs: endedMs + NOTICED_WITHIN_MS, node });
        facts.push(`${startedMs.toFixed(0)} to ${endedMs.toFixed(0)} ms: ${fault!.name}`);
      }
      await delay(1_000);
    };
    await Promise.all([...lanes, faults().finally(() => (isOver = true))]);
  } catch (error) {
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  findings.push(...(await cluster.stop()));
  await servers.stop();
  const rules = { perMinute: PER_MINUTE, replicas: REPLICAS, disturbances };
  findings.push(...bursts.flatMap((one) => limitProblems(one, rules)));
  facts.unshift(overLimit(bursts, rules));
  return { findings, facts };
}

const nameOf = (index: number) => `account ${index}`;

async function burst(cluster: Cluster, key: string, node: string): Promise<Burst> {
  const invokedMs = performance.now();
  const statuses: number[] = [];
  for (let batch = 0; batch < BATCHES; batch++) {
    const responses = Array.from({ length: REQUESTS_A_BATCH }, async (_, index) => {
      const response = await cluster.replica(index % REPLICAS).get('/v1/pets?limit=1', key);
      await response.arrayBuffer();
      return response.status;
    });
    statuses.push(...(await Promise.all(responses)));
    await delay(BETWEEN_MS);
  }
  return { invokedMs, returnedMs: performance.now(), node, statuses };
}

async function startCluster(): Promise<Servers> {
  const redis = await RedisCluster.start(PRIMARIES, 1);
  const keyOf = (account: string) => `rl:{${accountSubject(account)}}`;
  const primaryOf = (account: string) => redis.primaryOf(keyOf(account));
  // One name for a primary and the replica that takes over from it.
  const nodeOf = (server: RedisServer) => redis.servers[redis.servers.indexOf(server) % PRIMARIES]!.name;
  const pause = async (account: string, ms: number): Promise<string> => {
    const primary = await primaryOf(account);
    await pauseFor(primary, ms);
    await redis.untilWhole();
    return nodeOf(primary);
  };
  return {
    url: redis.url,
    nodeOf: async (account) => nodeOf(await primaryOf(account)),
    faults: [
      {
        name: 'a primary is killed, and its replica takes over',
        happen: async (account) => {
          const primary = await primaryOf(account);
          await primary.kill();
          await redis.untilFailedOver(primary, keyOf(account));
          await primary.revive();
          await redis.untilWhole();
          return nodeOf(primary);
        },
      },
      {
        name: 'the slot of an account moves to another node',
        isExact: true,
        happen: async (account) => {
          const [from, all] = [
            await primaryOf(account),
            await Promise.all(['a', 'b', 'c', 'd', 'e'].map(primaryOf)),
          ];
          const to = all.find((primary) => primary !== from)!;
          await redis.move(keyOf(account), to, () => delay(BETWEEN_MS));
          return nodeOf(from);
        },
      },
      { name: 'a primary is paused for a moment', happen: (account) => pause(account, SHORT_PAUSE_MS) },
      {
        name: 'a primary is cut off until it is replaced',
        happen: (account) => pause(account, LONG_PAUSE_MS),
      },
    ],
    stop: () => redis.stop(),
  };
}

async function startSentinels(): Promise<Servers> {
  const redis = await RedisSentinels.start();
  return {
    url: redis.url,
    nodeOf: () => Promise.resolve(''),
    faults: [
      {
        name: 'the primary is killed, and a replica takes over',
        happen: async () => {
          const primary = await redis.primary();
          await primary.kill();
          await redis.untilReplaced(primary);
          await primary.revive();
          await redis.follow(primary);
          return '';
        },
      },
      {
        name: 'the primary is paused for a moment',
        happen: async () => {
          await pauseFor(await redis.primary(), SHORT_PAUSE_MS);
          return '';
        },
      },
      {
        name: 'the primary is cut off until it is replaced',
        happen: async () => {
          const primary = await redis.primary();
          primary.pause();
          await redis.untilReplaced(primary).finally(() => primary.resume());
          await redis.follow(primary);
          return '';
        },
      },
    ],
    stop: () => redis.stop(),
  };
}

async function pauseFor(server: RedisServer, ms: number): Promise<void> {
  server.pause();
  await delay(ms).finally(() => server.resume());
}
