import { Cluster } from '../cluster/cluster.js';
import { Customer, type Line, Noticeboard } from '../cluster/customer.js';
import { ConnectionLost, KeyLine } from '../cluster/line.js';
import { Random } from '../support/random.js';
import { anomalies } from './check.js';
import { DATA_FAULTS, type Fault, letHappen, POOLER_FAULTS, REDIS_FAULTS, stutter } from './faults.js';
import { keyProblems } from './keys/check.js';
import { KeysLane } from './keys/lane.js';
import { Recorder } from './recorder.js';

const REPLICAS = 3;
const CUSTOMERS = 10;
/** Accounts for bursts, how many keys of each share its limit, and that limit. Refusals are too few for a ban. */
const BURSTS = 20;
const KEYS_A_BURST = 3;
const PER_MINUTE = 20;
const BURST = 35;

/**
 * A statement has little time, so that requests soon continue after a fault. A call to Redis has much: a replica that
 * waits for a core must not count on its own, as each request counts exactly once only in Redis.
 */
const SETTINGS = { REDIS_TIMEOUT_MS: '5000', DATABASE_STATEMENT_TIMEOUT_MS: '1500' };

export interface RoundResult {
  /** What the service did that no order of events explains. It holds without any. */
  readonly findings: readonly string[];
  readonly facts: readonly string[];
}

/**
 * Runs customers against several replicas until every fault has happened, repairs everything, reads it all from every
 * replica, and checks what the customers have seen. The choices of customers and faults follow from the seed.
 *
 * @param isPooled whether the replicas reach PostgreSQL by way of PgBouncer
 */
export async function round(seed: number, isPooled = false): Promise<RoundResult> {
  const cluster = await Cluster.start({
    size: REPLICAS,
    database: 'postgres',
    environment: SETTINGS,
    hasWays: true,
    isPooled,
    hasRedisClock: true,
  });
  const recorder = new Recorder();
  const findings: string[] = [];
  try {
    const faults = isPooled ? [...DATA_FAULTS, ...POOLER_FAULTS] : DATA_FAULTS;
    findings.push(...(await new Round(cluster, recorder, seed, faults).run()));
  } catch (error) {
    // What the customers have seen until then may say why.
    findings.push(`The round failed: ${(error as Error).stack}`);
  }
  findings.push(...(await cluster.stop()));
  findings.push(...recorder.problems, ...anomalies(recorder), ...keyProblems(recorder));
  return { findings, facts: facts(recorder) };
}

class Round {
  private readonly board = new Noticeboard();
  private isOver = false;

  constructor(
    private readonly cluster: Cluster,
    private readonly recorder: Recorder,
    private readonly seed: number,
    private readonly faults: readonly Fault[],
  ) {}

  /** @returns what was lost */
  async run(): Promise<readonly string[]> {
    const { cluster, recorder, board, seed } = this;
    // All keys before the first fault: they go to PostgreSQL itself.
    const families = new KeysLane(cluster, recorder, () => this.isOver);
    await families.prepare();
    const keys = await cluster.newKeys(CUSTOMERS);
    const accountOf = (index: number) => `burst ${Math.floor(index / KEYS_A_BURST)}`;
    const burstKeys = await cluster.newKeys(BURSTS * KEYS_A_BURST, PER_MINUTE, accountOf);
    const customers = keys.map((key, index) => {
      const name = `customer ${index + 1}`;
      return new Customer(name, lineTo(cluster, key), board, recorder, new Random(seed, name));
    });
    const stop = (): void => {
      this.isOver = true;
      for (const customer of customers) customer.stop();
      recorder.stop();
    };
    const failures: unknown[] = [];
    const fail = (error: unknown): void => {
      failures.push(error);
      stop();
    };
    // All of them end before anything is stopped, as a fault must undo what it did.
    await Promise.all([
      ...customers.map((customer) => customer.run().catch(fail)),
      this.bursts(burstKeys).catch(fail),
      families.run().catch(fail),
      this.redisFaults().catch(fail),
      stutter({ cluster, recorder, random: new Random(seed, 'stutter'), isOver: () => this.isOver }).catch(
        fail,
      ),
      this.dataFaults().then(stop, fail),
    ]);
    if (failures.length > 0) throw failures[0];
    // A replica that PostgreSQL has refused a connection has fewer until it is restarted.
    await cluster.untilWhole({ evenIfShort: true });
    // The orders last: one that still takes effect now was placed after all reads of its animal.
    for (let replica = 0; replica < cluster.size; replica++) await customers[0]!.listAnimals(replica);
    for (let replica = 0; replica < cluster.size; replica++)
      await Promise.all(customers.map((customer) => customer.listOrders(replica)));
    return families.conclude();
  }

  private dataFaults(): Promise<void> {
    return this.letHappen(this.faults, new Random(this.seed, 'data faults'));
  }

  /** Redis fails again and again while each of the other faults happens once. */
  private async redisFaults(): Promise<void> {
    const random = new Random(this.seed, 'Redis faults');
    while (!this.isOver) await this.letHappen(REDIS_FAULTS, random);
  }

  private letHappen(faults: readonly Fault[], random: Random): Promise<void> {
    const { cluster, recorder } = this;
    return letHappen(faults, { cluster, recorder, random, isOver: () => this.isOver });
  }

  /** Sends more with the keys of an account than it may, to all replicas at once, again and again. */
  private async bursts(keys: readonly string[]): Promise<void> {
    const { cluster, recorder } = this;
    for (let first = 0; first < keys.length; first += KEYS_A_BURST) {
      await recorder.requests(100);
      if (this.isOver) return;
      const invokedMs = performance.now();
      const statuses = await Promise.all(
        Array.from({ length: BURST }, async (_, index) => {
          const response = await cluster
            .replica(index % cluster.size)
            .get('/v1/pets?limit=1', keys[first + (index % KEYS_A_BURST)])
            .catch(() => null);
          await response?.arrayBuffer().catch(() => null);
          return response?.status ?? 0;
        }),
      );
      recorder.bursts.push({ invokedMs, returnedMs: performance.now(), perMinute: PER_MINUTE, statuses });
    }
  }
}

/** Sends requests with `key` to the replicas of a cluster, any of which may be down. */
export function lineTo(cluster: Cluster, key: string): Line {
  const line = new KeyLine(key);
  return {
    size: cluster.size,
    send: ({ replica, ...sent }) =>
      line.send(cluster.replica(replica).port, sent).catch((error: unknown) => {
        if (!(error instanceof ConnectionLost)) throw error;
        return { status: 0, headers: new Headers(), body: null };
      }),
  };
}

function facts({ operations, faults, statuses, bursts, keyEnds, keyUses, requestCount }: Recorder): string[] {
  const byKind = new Map<string, number>();
  for (const { kind, returnedMs } of operations) {
    const name = returnedMs === Infinity ? `${kind} without a known outcome` : kind;
    byKind.set(name, (byKind.get(name) ?? 0) + 1);
  }
  return [
    `${requestCount} requests: ${[...statuses].map(([status, count]) => `${count} × ${status || 'no response'}`).join(', ')}`,
    `${[...byKind].map(([kind, count]) => `${kind} ${count}`).join(', ')}; ${bursts.length} bursts; ${keyEnds.length} ends of keys, ${keyUses.length} uses`,
    ...faults,
  ];
}
