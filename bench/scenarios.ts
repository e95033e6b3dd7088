import type { DataSet, DataSize } from './data-sets.js';
import { requests, type RequestMix, type RequestTemplate } from './load/request-mix.js';
import type { Options } from './options.js';
import { type Feature, type ProgramName, PROGRAMS } from './programs.js';

/** One server, or several replicas of one, in a scenario. */
export interface Contestant {
  readonly label: string;
  readonly program: ProgramName;
  readonly data: DataSize;
  readonly storage: 'sqlite' | 'postgres';
  readonly replicas: number;
  readonly redis: boolean;
}

export interface Scenario {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly contestants: readonly Contestant[];
  /** Whom the others are compared with, by label. */
  readonly baseline: string;
  readonly mix: (data: DataSet) => RequestMix;
  /** Whether every answer must be a refusal; otherwise none may be. */
  readonly refused: boolean;
  /** How often its servers are started, and measured in so many rounds each time. */
  readonly launches: number;
  readonly roundsPerLaunch: number;
  readonly secondsPerRound: number;
  /** Each contestant answers at least this many requests before it is measured: what has to be met once is met then. */
  readonly warmUpRequests: (contestant: Contestant) => number;
  /** Rounds go on until the server has answered so many; null for rounds of so many seconds. */
  readonly requestsInAll: number | null;
  /** How many times the CPU time of the baseline each may need, by label. */
  readonly budgets: Readonly<Record<string, number>>;
}

const SERVICE = PROGRAMS.service.title;
const BARE = PROGRAMS['node-http'].title;
const EVERYBODY: readonly ProgramName[] = [
  'service',
  'node-http',
  'fastify',
  'plain-express',
  'tutorial-nest',
];
const WITH_AND_WITHOUT_QUEUE: readonly ProgramName[] = [...EVERYBODY, 'without-queue'];
const BY_HAND: readonly ProgramName[] = ['service', 'node-http', 'fastify'];

const list = (data: DataSet): RequestTemplate =>
  requests({ method: 'GET', path: ['/v1/pets?limit=20'], key: { linesOf: data.keysFile } });
const listByStatement = (data: DataSet): RequestTemplate =>
  requests({
    method: 'GET',
    path: ['/v1/pets?limit=20&cursor=', { linesOf: data.cursorsFile }],
    key: { linesOf: data.keysFile },
  });
const add = (data: DataSet): RequestTemplate =>
  requests({
    method: 'POST',
    path: ['/v1/pets'],
    key: { linesOf: data.keysFile },
    body: ['{"name":"Rex","categoryId":7,"status":"available"}'],
  });

const mixOf =
  (...templates: readonly ((data: DataSet) => RequestTemplate)[]) =>
  (data: DataSet): RequestMix => ({ templates: templates.map((template) => template(data)) });
const often = (weight: number, template: (data: DataSet) => RequestTemplate) => (data: DataSet) => ({
  ...template(data),
  weight,
});

/** Load before each round that does not count: a server that was paused has its timers to catch up with. */
export const SETTLING_SECONDS = 1;

/** Animals to order, in thousands a second: no server comes near it. */
const ORDERABLE_PER_SECOND = 40_000;

/** All scenarios, in the order in which they are run and reported. */
export function scenarios(options: Options): Scenario[] {
  const { quick, launches, roundsPerLaunch, secondsPerRound, warmUpSeconds } = options;
  const size: DataSize = { animals: 100_000, keys: 100 };
  const measuredSeconds = (roundsPerLaunch + 1) * (secondsPerRound + SETTLING_SECONDS) + warmUpSeconds;
  const orderable = { ...size, animals: measuredSeconds * ORDERABLE_PER_SECOND, allAvailable: true };
  const sizes = quick ? [1_000, 100_000] : [1_000, 100_000, 1_000_000];
  const keyCounts = quick ? [1, 100_000] : [1, 100_000, 1_000_000];

  const scenario = (
    facts: Partial<Scenario> & Pick<Scenario, 'name' | 'title' | 'about' | 'contestants' | 'mix'>,
  ) => ({
    baseline: BARE,
    refused: false,
    launches,
    roundsPerLaunch,
    secondsPerRound,
    warmUpRequests: () => 0,
    requestsInAll: null,
    budgets: {},
    ...facts,
  });
  const withFeatures = (programs: readonly ProgramName[], data: DataSize, ...features: Feature[]) =>
    programs
      .filter((name) => features.every((feature) => PROGRAMS[name].features.includes(feature)))
      .map((program) => contestant(PROGRAMS[program].title, program, data));
  const grown = (unit: string, counts: readonly number[], data: (count: number) => DataSize) =>
    counts.flatMap((count) =>
      (['service', 'node-http'] as const).map((program) =>
        contestant(`${PROGRAMS[program].title}, ${counted(count, unit)}`, program, data(count)),
      ),
    );
  const replicated = [
    contestant('one replica', 'service', size, { storage: 'postgres' }),
    contestant('one replica, limits in Redis', 'service', size, { storage: 'postgres', redis: true }),
    contestant('two replicas, limits in Redis', 'service', size, {
      storage: 'postgres',
      redis: true,
      replicas: 2,
    }),
  ];

  return [
    scenario({
      name: 'list-kept',
      title: 'Listing a page that is kept',
      about: 'GET /v1/pets?limit=20, the same page each time, 100 keys in turn, 100,000 animals.',
      contestants: withFeatures(WITH_AND_WITHOUT_QUEUE, size, 'list'),
      mix: mixOf(list),
      budgets: { [SERVICE]: 1.3 },
    }),
    scenario({
      name: 'list-by-statement',
      title: 'Listing by statement',
      about: 'GET /v1/pets?limit=20&cursor=…, another page each time, so that the database is asked.',
      contestants: withFeatures(EVERYBODY, size, 'list'),
      mix: mixOf(listByStatement),
      budgets: { [SERVICE]: 1.2 },
    }),
    scenario({
      name: 'get',
      title: 'Getting an animal',
      about: 'GET /v1/pets/{petId}, another animal each time.',
      contestants: withFeatures(EVERYBODY, size, 'get'),
      mix: mixOf((data) =>
        requests({
          method: 'GET',
          path: ['/v1/pets/', { linesOf: data.idsFile }],
          key: { linesOf: data.keysFile },
        }),
      ),
    }),
    scenario({
      name: 'add',
      title: 'Adding an animal',
      about: 'POST /v1/pets. On the disk before it is answered: synchronous=FULL everywhere.',
      contestants: withFeatures(WITH_AND_WITHOUT_QUEUE, size, 'add'),
      mix: mixOf(add),
      budgets: { [SERVICE]: 1.3 },
    }),
    scenario({
      name: 'add-once',
      title: 'Adding an animal with an Idempotency-Key',
      about: 'POST /v1/pets with another Idempotency-Key each time.',
      contestants: withFeatures(BY_HAND, size, 'idempotency'),
      mix: mixOf((data) =>
        requests({
          method: 'POST',
          path: ['/v1/pets'],
          key: data.key,
          headers: ['Idempotency-Key: bench-', { counter: 'zeros' }, '\r\n'],
          body: ['{"name":"Rex","categoryId":7,"status":"available"}'],
        }),
      ),
    }),
    scenario({
      name: 'order',
      title: 'Placing an order',
      about: 'POST /v1/store/orders, another animal each time.',
      contestants: withFeatures(BY_HAND, orderable, 'orders'),
      mix: mixOf((data) =>
        requests({
          method: 'POST',
          path: ['/v1/store/orders'],
          key: { linesOf: data.keysFile },
          body: ['{"petId":', { counter: 'spaces' }, '}'],
        }),
      ),
    }),
    scenario({
      name: 'mixed',
      title: '95 % lists, 5 % additions',
      about: 'Kept pages while the catalogue grows.',
      contestants: withFeatures(EVERYBODY, size, 'list', 'add'),
      mix: mixOf(often(95, list), often(5, add)),
    }),
    scenario({
      name: 'storm',
      title: 'A storm of refused requests',
      about: 'One banned key goes on as fast as it can: 429 for each request.',
      contestants: withFeatures(BY_HAND, size, 'limits'),
      mix: mixOf((data) => requests({ method: 'GET', path: ['/v1/pets?limit=20'], key: data.freeKey })),
      refused: true,
    }),
    scenario({
      name: 'animals',
      title: 'More animals',
      about: 'Listing by statement, in a growing catalogue.',
      contestants: grown('animal', sizes, (animals) => ({ animals, keys: 100 })),
      baseline: `${SERVICE}, ${counted(sizes[0]!, 'animal')}`,
      mix: mixOf(listByStatement),
      budgets: flat(SERVICE, sizes, 'animal'),
    }),
    scenario({
      name: 'keys',
      title: 'More keys',
      about:
        'Listing a kept page, each request with another key; every key has been seen before. After one start.',
      contestants: grown('key', keyCounts, (keys) => ({ animals: 1_000, keys })),
      baseline: `${SERVICE}, ${counted(keyCounts[0]!, 'key')}`,
      mix: mixOf(list),
      launches: 1,
      warmUpRequests: ({ data }) => data.keys,
      budgets: flat(SERVICE, keyCounts, 'key'),
    }),
    scenario({
      name: 'memory',
      title: quick ? 'Memory after 100,000 requests' : 'Memory after a million requests',
      about: 'Listing a kept page; what counts here is the last column. After one start.',
      contestants: withFeatures(BY_HAND, size, 'list'),
      mix: mixOf(list),
      launches: 1,
      roundsPerLaunch: 1,
      requestsInAll: quick ? 100_000 : 1_000_000,
    }),
    scenario({
      name: 'replicas-list',
      title: 'Listing from PostgreSQL',
      about:
        'The service alone, by replicas; their CPU time is added up, that of PostgreSQL and Redis is not.',
      contestants: replicated,
      baseline: replicated[0]!.label,
      mix: mixOf(listByStatement),
    }),
    scenario({
      name: 'replicas-add',
      title: 'Adding to PostgreSQL',
      about: 'The same, for POST /v1/pets.',
      contestants: replicated,
      baseline: replicated[0]!.label,
      mix: mixOf(add),
    }),
  ];
}

function contestant(
  label: string,
  program: ProgramName,
  data: DataSize,
  facts: Partial<Pick<Contestant, 'storage' | 'replicas' | 'redis'>> = {},
): Contestant {
  return { label, program, data, storage: 'sqlite', replicas: 1, redis: false, ...facts };
}

function counted(count: number, unit: string): string {
  return `${count.toLocaleString('en-US')} ${unit}${count === 1 ? '' : 's'}`;
}

/** Ten per cent more than with the fewest, and no more. */
function flat(title: string, counts: readonly number[], unit: string): Record<string, number> {
  return Object.fromEntries(counts.slice(1).map((count) => [`${title}, ${counted(count, unit)}`, 1.1]));
}
