import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from 'markdown-table';
import { type Data, DataSets } from '../data.js';
import { SCENARIOS } from '../scenarios.js';
import { type Counted, Server } from '../servers.js';
import { Client } from './client.js';
import { type ProfileNode, stepsTable } from './steps.js';

const OPERATIONS = ['hot-page', 'cursor', 'get', 'add', 'order', 'add-once'];
const PEERS = ['service', 'node-http'] as const;
/** Every animal is ordered once. */
const SIZE = { animals: 20_000, keys: 100, allAvailable: true };
const CONNECTIONS = 64;
/** Until V8 has compiled what it will compile. */
const WARM_UP_REQUESTS = 8_000;
const PROFILED_REQUESTS = 4_000;
const ROUNDS = 3;
const ROUND_REQUESTS = 1_000;
const TOLERANCE = 0.05;
const COMMITTED = 'bench/bytes/committed.json';

/** What the service allocates a request of each operation, with this major version of Node. */
interface Committed {
  readonly node: string;
  readonly bytes: Readonly<Record<string, number>>;
}

/**
 * Prints what a request allocates and costs beside bare `node:http`, and compares it with the committed figures. Bytes
 * hardly depend on what else the machine does. With `accept` the figures become the committed ones. With `steps` it
 * prints what each guard, interceptor and pipe of the service allocates instead.
 */
export async function main({ accept, steps }: { accept: boolean; steps: boolean }): Promise<void> {
  const dataSets = new DataSets();
  const data = await dataSets.of(SIZE);
  if (steps) {
    const urls = await dataSets.copy(data, 'service', false);
    const server = await Server.start({ peer: 'service', ...urls, key: data.key, isInFiles: true });
    const profiles = await profilesOf(server, data).finally(() => server.stop());
    console.log(stepsTable(profiles, PROFILED_REQUESTS));
    return;
  }
  const costs = new Map<string, Map<string, Counted>>();
  for (const peer of PEERS) {
    const urls = await dataSets.copy(data, peer, false);
    const server = await Server.start({ peer, ...urls, key: data.key });
    costs.set(peer, await costsOf(server, data).finally(() => server.stop()));
  }
  const [own, bare] = PEERS.map((peer) => costs.get(peer)!) as [Map<string, Counted>, Map<string, Counted>];

  const committed = JSON.parse(readFileSync(COMMITTED, 'utf8')) as Committed;
  const major = process.versions.node.split('.')[0]!;
  const rows = OPERATIONS.map((operation) => {
    const [service, node] = [own.get(operation)!, bare.get(operation)!];
    return [
      operation,
      ...[service.bytes, node.bytes, committed.bytes[operation] ?? NaN].map((bytes) => kilobytes(bytes)),
      ...[service.cpuUs, node.cpuUs].map((us) => us.toFixed(1)),
      (service.cpuUs / node.cpuUs).toFixed(2),
    ];
  });
  const titles = ['', 'kB a request', 'bare kB', 'committed kB', 'CPU µs', 'bare µs', '× bare'];
  console.log(markdownTable([titles, ...rows], { align: titles.map((title) => (title ? 'r' : 'l')) }));

  if (accept) {
    const bytes = Object.fromEntries(
      [...own].map(([operation, cost]) => [operation, Math.round(cost.bytes)]),
    );
    writeFileSync(COMMITTED, `${JSON.stringify({ node: major, bytes }, null, 2)}\n`);
    return;
  }
  if (committed.node !== major) {
    console.error(`The committed figures are of Node ${committed.node}: nothing is compared.`);
    return;
  }
  for (const [operation, { bytes }] of own) {
    const ratio = bytes / (committed.bytes[operation] ?? NaN);
    if (Math.abs(ratio - 1) <= TOLERANCE) continue;
    const change = ratio < 1 ? 'less' : 'more';
    console.error(
      `${operation} allocates ${kilobytes(bytes)} kB, over 5 % ${change} than committed. Is that intended? npm run bench -- --bytes --accept`,
    );
    process.exitCode = 1;
  }
}

/** The lowest of all rounds: a round is dearer when V8 compiles, or when few requests come together. */
async function costsOf(server: Server, data: Data): Promise<Map<string, Counted>> {
  const client = await warmUp(server, data);
  const lowest = new Map<string, Counted>();
  for (let round = 0; round < ROUNDS; round++) {
    for (const operation of OPERATIONS) {
      await server.startCounting();
      await client.send(requestOf(operation), ROUND_REQUESTS);
      const counted = await server.stopCounting();
      const { bytes = Infinity, cpuUs = Infinity } = lowest.get(operation) ?? {};
      lowest.set(operation, {
        bytes: Math.min(bytes, counted.bytes / ROUND_REQUESTS),
        cpuUs: Math.min(cpuUs, counted.cpuUs / ROUND_REQUESTS),
      });
    }
  }
  client.close();
  return lowest;
}

async function profilesOf(server: Server, data: Data): Promise<Map<string, ProfileNode>> {
  const client = await warmUp(server, data);
  const profiles = new Map<string, ProfileNode>();
  for (const operation of OPERATIONS) {
    await server.startProfiling();
    await client.send(requestOf(operation), PROFILED_REQUESTS);
    profiles.set(operation, await server.stopProfiling());
  }
  client.close();
  return profiles;
}

async function warmUp(server: Server, data: Data): Promise<Client> {
  const client = await Client.connect(server.port, CONNECTIONS, data);
  for (const operation of OPERATIONS) await client.send(requestOf(operation), WARM_UP_REQUESTS);
  return client;
}

function requestOf(name: string): string {
  return SCENARIOS.find((scenario) => scenario.name === name)!.requests[0]!;
}

function kilobytes(bytes: number): string {
  return (bytes / 1_000).toFixed(1);
}
