import type { Data, DataSize } from './data.js';
import { request } from './load.js';
import type { Options } from './options.js';
import { type Operation, type PeerName, PEERS } from './peers.js';

/** One server, or several replicas of one, in a scenario. */
export interface Contestant {
  readonly label: string;
  readonly peer: PeerName;
  readonly data: DataSize;
  /** Instead of a SQLite file of its own. */
  readonly postgres?: boolean;
  readonly redis?: boolean;
  readonly replicas?: number;
  /** How many times the CPU time of the baseline it may need. */
  readonly budget?: number;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** The others are compared with the one called `baseline`. */
  readonly contestants: readonly Contestant[];
  readonly baseline: string;
  readonly requests: (data: Data) => string[];
  /** Whether every response must be a refusal; otherwise none may be. */
  readonly refused?: boolean;
  /** Asks with every key of the data before it measures, as a key costs more when it is new. */
  readonly everyKeyFirst?: boolean;
  /** Rounds go on until the server has sent so many responses. */
  readonly untilRequests?: number;
  /** Instead of what the options say. */
  readonly starts?: number;
  readonly rounds?: number;
}

/** Load before each round that does not count: a server that was paused has its timers to catch up with. */
export const SETTLING_SECONDS = 1;
/** Animals to order for each second: no server comes near it. */
const ORDERABLE_PER_SECOND = 40_000;
const SIZE: DataSize = { animals: 100_000, keys: 100 };
const SERVICE = PEERS.service.title;

const LIST = request('GET /v1/pets?limit=20');
const LIST_BY_STATEMENT = request('GET /v1/pets?limit=20&cursor=@cursors@');
const REX = { body: '{"name":"Rex","categoryId":7,"status":"available"}' };
const ADD = request('POST /v1/pets', REX);

/** All scenarios, in the order in which they are run and reported. */
export function scenarios({ quick, rounds, seconds, warmUpSeconds }: Options): Scenario[] {
  const measuredSeconds = (rounds + 1) * (seconds + SETTLING_SECONDS) + warmUpSeconds;
  const orderable = { ...SIZE, animals: measuredSeconds * ORDERABLE_PER_SECOND, allAvailable: true };
  const counts = quick ? [100_000] : [100_000, 1_000_000];
  const among = (operation: Operation, budget?: number, data = SIZE) => ({
    baseline: PEERS['node-http'].title,
    contestants: (Object.keys(PEERS) as PeerName[])
      .filter((peer) => PEERS[peer].operations.includes(operation))
      .map((peer) => ({
        ...{ label: PEERS[peer].title, peer, data },
        ...(peer === 'service' && budget !== undefined && { budget }),
      })),
  });
  const growing = (fewest: number, unit: string, data: (count: number) => DataSize) => ({
    baseline: `${SERVICE}, ${fewest.toLocaleString('en')} ${unit}`,
    contestants: [fewest, ...counts].flatMap((count) =>
      (['service', 'node-http'] as const).map((peer) => ({
        ...{ label: `${PEERS[peer].title}, ${count.toLocaleString('en')} ${unit}`, peer, data: data(count) },
        ...(peer === 'service' && count > fewest && { budget: 1.1 }),
      })),
    ),
  });
  const replicated = {
    baseline: 'one replica',
    contestants: [
      { label: 'one replica' },
      { label: 'one replica, limits in Redis', redis: true },
      { label: 'two replicas, limits in Redis', redis: true, replicas: 2 },
    ].map((facts) => ({ peer: 'service' as const, data: SIZE, postgres: true, ...facts })),
  };

  return [
    {
      name: 'list-cached',
      title: 'Listing a cached page',
      about: 'GET /v1/pets?limit=20, the same page each time, 100 keys in turn, 100,000 animals.',
      requests: () => [LIST],
      ...among('list', 1.3),
    },
    {
      name: 'list-by-statement',
      title: 'Listing by statement',
      about: 'GET /v1/pets?limit=20&cursor=…, another page each time, so that the database is asked.',
      requests: () => [LIST_BY_STATEMENT],
      ...among('list', 1.2),
    },
    {
      name: 'get',
      title: 'Getting an animal, the deprecated operation',
      about: 'GET /v1/pets/{petId}, another animal each time.',
      requests: () => [request('GET /v1/pets/@ids@')],
      ...among('get', 1.4),
    },
    {
      name: 'add',
      title: 'Adding an animal',
      about: 'POST /v1/pets. On the disk before the response: synchronous=FULL everywhere.',
      requests: () => [ADD],
      ...among('add', 1.3),
    },
    {
      name: 'order',
      title: 'Placing an order',
      about: 'POST /v1/store/orders, another animal each time.',
      requests: () => [request('POST /v1/store/orders', { body: '{"petId":@__number@}' })],
      ...among('order', 1.3, orderable),
    },
    {
      name: 'mixed',
      title: '95 % lists, 5 % additions',
      about: 'Cached pages while the catalogue grows.',
      requests: () => [...Array<string>(95).fill(LIST), ...Array<string>(5).fill(ADD)],
      ...among('add'),
    },
    {
      name: 'storm',
      title: 'A storm of refused requests',
      about: 'One banned key goes on as fast as it can: 429 for each request.',
      requests: ({ freeKey }) => [request('GET /v1/pets?limit=20', { key: freeKey })],
      refused: true,
      ...among('limits'),
    },
    {
      name: 'animals',
      title: 'More animals',
      about: 'Listing by statement, in a growing catalogue.',
      requests: () => [LIST_BY_STATEMENT],
      ...growing(1_000, 'animals', (animals) => ({ animals, keys: 100 })),
    },
    {
      name: 'keys',
      title: 'More keys',
      about:
        'Listing a cached page, each request with another key; every key has been seen before. After one start.',
      requests: () => [LIST],
      starts: 1,
      everyKeyFirst: true,
      ...growing(1, 'keys', (keys) => ({ animals: 1_000, keys })),
    },
    {
      name: 'memory',
      title: quick ? 'Memory after 100,000 requests' : 'Memory after a million requests',
      about: 'Listing a cached page; what counts here is the last column. After one start.',
      requests: () => [LIST],
      starts: 1,
      rounds: 1,
      untilRequests: quick ? 100_000 : 1_000_000,
      ...among('limits'),
    },
    {
      name: 'replicas-list',
      title: 'Listing from PostgreSQL',
      about:
        'The service alone, by replicas. Their CPU time is added up; that of PostgreSQL and Redis is not in it.',
      requests: () => [LIST_BY_STATEMENT],
      ...replicated,
    },
    {
      name: 'replicas-add',
      title: 'Adding to PostgreSQL',
      about: 'The same, for POST /v1/pets.',
      requests: () => [ADD],
      ...replicated,
    },
  ];
}
