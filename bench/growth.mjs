// node bench/growth.mjs: what so many requests a second take, by replaying the measured costs in growth.json.
// With --check it compares docs/growth.md with that.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const PAGE = new URL('../docs/growth.md', import.meta.url);
const REPLAYED = 100_000;
const MICROSECONDS = 1_000_000;

const { values: args } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, check: { type: 'boolean', default: false } },
});
const model = JSON.parse(readFileSync(new URL('growth.json', import.meta.url), 'utf8'));
const { mix, costs, cluster, pooler, replica, limits, utilisation, rates } = model;
const operations = Object.keys(mix);

/** Mulberry32. */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a request costs a part on average, with its share of deliveries. */
const meanOf = (costOf) => operations.reduce((sum, name) => sum + mix[name] * costOf(costs[name]), 0);

/** How many servers of a queue a part needs. */
const serversFor = (rate, costOf) => Math.ceil((rate * meanOf(costOf)) / MICROSECONDS / utilisation);

/** The highest rate that so many servers of a queue serve. */
const rateOf = (servers, costOf) => (servers * utilisation * MICROSECONDS) / meanOf(costOf);

/** One Redis as long as it is enough, direct connections as long as there are enough: each way out costs something. */
function sizeOf(rate) {
  const isCluster = rate > rateOf(1, ({ redis }) => redis);
  const redisCost = ({ redis }) => (isCluster ? cluster.redis : 1) * redis;
  const clusterCost = isCluster ? cluster.service : 0;
  const directCost = ({ service, redis }) => service + (redis > 0 ? clusterCost : 0);
  const mostReplicas = Math.floor(limits.connections / replica.connections);
  const isPooled = serversFor(rate, directCost) > mostReplicas;
  const serviceCost = (cost) => (isPooled ? pooler.service : 1) * directCost(cost);
  const postgresCost = ({ postgres }) => (isPooled ? pooler.postgres : 1) * postgres;
  // The last replica may fail.
  const replicas = serversFor(rate, serviceCost) + 1;
  const breaks = [
    ...(isCluster ? [] : [['one Redis', rateOf(1, redisCost)]]),
    ...(isPooled ? [] : [['connections', rateOf(mostReplicas - 1, serviceCost)]]),
    [`${limits['postgres cores']} cores of PostgreSQL`, rateOf(limits['postgres cores'], postgresCost)],
  ];
  return {
    rate,
    replicas,
    postgres: serversFor(rate, postgresCost),
    redis: serversFor(rate, redisCost),
    poolers: isPooled ? serversFor(rate, () => pooler.microseconds) : 0,
    connections: isPooled ? limits.connections : replicas * replica.connections,
    megabytes: replicas * replica.megabytes,
    breaks: breaks.sort(([, a], [, b]) => a - b)[0],
    serviceCost,
    postgresCost,
    redisCost,
  };
}

/** How long the requests of a Poisson process spend in a queue with so many servers, in microseconds. */
function replay(random, rate, servers, costOf) {
  const free = new Float64Array(servers);
  const spent = new Float64Array(REPLAYED);
  const total = operations.reduce((sum, name) => sum + mix[name], 0);
  let nowUs = 0;
  for (let index = 0; index < REPLAYED; index++) {
    nowUs -= (Math.log(1 - random()) * MICROSECONDS) / (rate * total);
    let drawn = random() * total;
    const name = operations.find((each) => (drawn -= mix[each]) < 0) ?? operations[0];
    let first = 0;
    for (let server = 1; server < servers; server++) if (free[server] < free[first]) first = server;
    free[first] = Math.max(nowUs, free[first]) + costOf(costs[name]);
    spent[index] = free[first] - nowUs;
  }
  return spent;
}

function p99Ms({ rate, replicas, postgres, redis, serviceCost, postgresCost, redisCost }, random) {
  const parts = [
    replay(random, rate / (replicas - 1), 1, serviceCost),
    replay(random, rate, postgres, postgresCost),
    replay(random, rate / redis, 1, redisCost),
  ];
  const sums = parts[0].map((spent, index) => spent + parts[1][index] + parts[2][index]).sort();
  return sums[Math.floor(0.99 * REPLAYED)] / 1_000;
}

const number = (value) => Math.round(value).toLocaleString('en-US');
const rounded = (value) => number(Number(value.toPrecision(2)));

const rows = rates.map((rate) => {
  const size = sizeOf(rate);
  const [part, atRate] = size.breaks;
  return [
    number(rate),
    number(size.replicas),
    number(size.postgres),
    number(size.redis),
    number(size.poolers),
    number(size.connections),
    `${rounded(size.megabytes / 1_000)} GB`,
    `${p99Ms(size, randomOf(Number(args.seed))).toFixed(1)} ms`,
    `${part}, at ${rounded(atRate)}`,
  ];
});
const head = [
  'requests a second',
  'replicas',
  'cores of PostgreSQL',
  'Redis',
  'cores of PgBouncer',
  'connections',
  'memory',
  'p99',
  'breaks first',
];
const widths = head.map((title, column) => Math.max(...[head, ...rows].map((row) => row[column].length)));
const line = (cells) => `| ${cells.join(' | ')} |`;
const isText = (column) => column === head.length - 1;
const aligned = (row) =>
  row.map((cell, column) => (isText(column) ? cell.padEnd(widths[column]) : cell.padStart(widths[column])));
const rule = widths.map((width, column) =>
  isText(column) ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
);
const table = [line(aligned(head)), line(rule), ...rows.map((row) => line(aligned(row)))].join('\n');

process.stdout.write(`${table}\n`);
if (args.check && !readFileSync(PAGE, 'utf8').includes(table)) {
  process.stderr.write('docs/growth.md has another table: put this one there.\n');
  process.exitCode = 1;
}
