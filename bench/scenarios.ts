import type { DataSize } from './data.js';
import { request } from './load.js';
import { type Operation, type PeerName, peerOf, PEERS } from './peers.js';

/** The most that the service may cost, by the title of the column. */
type Budgets = Readonly<Record<string, number>>;

/** One server, or several replicas of one, in a scenario. */
export interface Contestant {
  readonly label: string;
  readonly peer: PeerName;
  readonly data: DataSize;
  /** On PostgreSQL and Redis instead of a SQLite file of its own. */
  readonly isShared: boolean;
  readonly replicas: number;
  readonly budgets: Budgets;
  /** The title of the column in which all are compared with this one. */
  readonly column?: string | undefined;
}

export interface Scenario {
  readonly name: string;
  readonly operation: Operation;
  /** Sent in turn; the script of the load says what two @ may enclose. */
  readonly requests: readonly string[];
  /** Of the service on a SQLite file, and on PostgreSQL and Redis. */
  readonly embedded?: Budgets;
  readonly shared?: Budgets;
  /** Without other peers: what there is more and more of. */
  readonly grows?: 'animals' | 'keys';
  readonly isOnlyEmbedded?: true;
  /** Every response must be a refusal; otherwise none may be. */
  readonly isRefused?: true;
  /** Rounds are run until the server has sent so many responses. */
  readonly untilRequests?: number;
}

const SIZE: DataSize = { animals: 100_000, keys: 100 };
/** More than any server orders after one start. */
const ORDERABLE: DataSize = { animals: 1_000_000, keys: 100, allAvailable: true };
const BARE = '× bare';
const EMBEDDED = '× embedded';
const FEWEST = '× the fewest';

const page = (query: string) => request(`GET /v1/pets?${query}`);
const HOT = page('limit=20');
const CURSOR = page('limit=20&cursor=@cursors@');
const SIX = ['limit=10', 'limit=20', 'limit=50', 'status=available', 'status=pending', 'status=sold'];
const REX = '{"name":"Rex","categoryId":7,"status":"available"}';
const ADD = request('POST /v1/pets', REX);
const ADD_ONCE = request('POST /v1/pets', REX, 'Idempotency-Key: "key-@number@"');
const ORDER = request('POST /v1/store/orders', '{"petId":@_number_@}');
const STORM = request('GET /v1/pets?limit=20', '', '', '@freeKey@');
const MIX = [...Array<string>(15).fill(HOT), ...Array<string>(4).fill(CURSOR), ADD];
const GROWING = { operation: 'list', isOnlyEmbedded: true, embedded: { [FEWEST]: 1.1 } } as const;

const within = (alone: number, bare: number, embedded?: number) => ({
  embedded: { [BARE]: alone },
  shared: { [BARE]: bare, ...(embedded && { [EMBEDDED]: embedded }) },
});

/** In the order in which they are run and reported. */
export const SCENARIOS: readonly Scenario[] = [
  { name: 'hot-page', operation: 'list', requests: [HOT], ...within(1.25, 0.7, 2) },
  { name: 'six-pages', operation: 'list', requests: SIX.map(page), shared: { [BARE]: 0.7, [EMBEDDED]: 2.5 } },
  { name: 'cursor', operation: 'list', requests: [CURSOR], ...within(1.1, 1, 1.5) },
  { name: 'get', operation: 'get', requests: [request('GET /v1/pets/@ids@')], ...within(1.35, 1.3, 1.2) },
  { name: 'add', operation: 'add', requests: [ADD], ...within(1.25, 0.7, 1.6) },
  { name: 'add-once', operation: 'once', requests: [ADD_ONCE], shared: { [EMBEDDED]: 2.5 } },
  { name: 'order', operation: 'order', requests: [ORDER], ...within(1.3, 1.3, 2.5) },
  { name: 'mix', operation: 'add', requests: MIX },
  { name: 'storm', operation: 'limits', requests: [STORM], isOnlyEmbedded: true, isRefused: true },
  { name: 'animals', requests: [CURSOR], ...GROWING, grows: 'animals' },
  { name: 'keys', requests: [HOT], ...GROWING, grows: 'keys' },
  { name: 'memory', operation: 'limits', requests: [HOT], isOnlyEmbedded: true, untilRequests: 1_000_000 },
];

/** Whether there is a budget for a request: growth needs longer rounds. */
export function isJudged({ grows, embedded, shared }: Scenario, isShared: boolean): boolean {
  return !grows && (isShared ? shared : embedded) !== undefined;
}

/** What a budget speaks of: the service, and what it is compared with. */
export function judgedOf(scenario: Scenario, isShared: boolean): Contestant[] {
  const all = contestantsOf(scenario, isShared);
  if (scenario.grows) return all;
  return all.filter(({ peer, replicas, column }) => replicas === 1 && (peer === 'service' || column));
}

export function contestantsOf(
  { operation, grows, embedded, shared }: Scenario,
  isShared: boolean,
): Contestant[] {
  const data = operation === 'order' ? ORDERABLE : SIZE;
  const budgets = (isShared ? shared : embedded) ?? {};
  const service = {
    label: PEERS.service.title,
    peer: 'service' as const,
    data,
    isShared,
    replicas: 1,
    budgets,
  };
  if (grows)
    return [grows === 'keys' ? 1 : 1_000, 100_000, 1_000_000].map((count, index) => ({
      ...{
        ...service,
        label: `${count.toLocaleString('en')} ${grows}`,
        column: index === 0 ? FEWEST : undefined,
      },
      data: { animals: 1_000, keys: 100, [grows]: count },
    }));
  const peers = (Object.keys(PEERS) as PeerName[])
    .map((peer) => ({ ...peerOf(peer), peer }))
    .filter(
      ({ operations, isOnlyEmbedded }) => operations.includes(operation) && !(isOnlyEmbedded && isShared),
    )
    .map(({ title: label, peer }): Contestant => {
      if (peer === 'service') return service;
      return { ...service, label, peer, budgets: {}, column: peer === 'node-http' ? BARE : undefined };
    });
  if (!isShared) return peers;
  const replicated = peers.slice(0, 2).map(({ label, peer }) => ({
    ...{ ...service, label: `${label}, two replicas`, peer, replicas: 2, budgets: {} },
  }));
  const alone = {
    ...service,
    label: 'the service, embedded',
    isShared: false,
    budgets: {},
    column: EMBEDDED,
  };
  return [...peers, ...replicated, alone];
}
