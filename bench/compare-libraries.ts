import { markdownTable } from 'markdown-table';
import { generateApiKey } from '@animal-store/api-keys';
import { Client } from './bytes/client.js';
import { type Counted, Server } from './servers.js';

const CONNECTIONS = 64;
const WARM_UP_REQUESTS = 8_000;
const ROUNDS = 4;
const ROUND_REQUESTS = 2_000;

const KEY = generateApiKey('acme_');
const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: ships\r\n${header}\r\n`;
const SHIP = '{"name":"Ada","berth":7}';
const POST = `POST /ships HTTP/1.1\r\nHost: ships\r\nContent-Type: application/json\r\nContent-Length: ${SHIP.length}\r\n\r\n${SHIP}`;
const WITH_KEY = get('/hello', `Authorization: Bearer ${KEY}\r\n`);

interface Contestant {
  readonly label: string;
  readonly variant: string;
  readonly request: string;
  readonly status?: string;
}

/** Each is one request to one application. The first of a group is what the others of it are compared with. */
const GROUPS: readonly (readonly Contestant[])[] = [
  [
    { label: 'a text on ExpressAdapter', variant: 'nest', request: get('/hello') },
    { label: '… on FastExpressAdapter', variant: 'fast-express', request: get('/hello') },
    { label: '… on FastifyAdapter', variant: 'fastify', request: get('/hello') },
    { label: '… with the guards of api-keys', variant: 'api-keys', request: WITH_KEY },
    { label: '… with passport-http-bearer', variant: 'passport', request: WITH_KEY },
    { label: '… with rate-limiting', variant: 'rate-limiting', request: get('/hello') },
    { label: '… with @Deprecated', variant: 'nest', request: get('/deprecated') },
    { label: '… with three @Header', variant: 'nest', request: get('/by-hand') },
  ],
  [
    { label: 'a validated body on ExpressAdapter', variant: 'nest', request: POST },
    { label: '… on FastExpressAdapter', variant: 'fast-express', request: POST },
    { label: '… on FastifyAdapter', variant: 'fastify', request: POST },
  ],
  [
    { label: 'a 404 by Nest’s own filter', variant: 'nest', request: get('/missing'), status: '404' },
    { label: '… by http-errors', variant: 'http-errors', request: get('/missing'), status: '404' },
  ],
];

/** What each library costs in a small application of Nest, beside what does the same: CPU time and bytes a request. */
export async function main(): Promise<void> {
  const all = GROUPS.flat();
  const rounds = new Map<Contestant, Counted[]>(all.map((contestant) => [contestant, []]));
  const servers = new Map<string, Server>();
  for (const { variant } of all) {
    if (servers.has(variant)) continue;
    const environment = { VARIANT: variant, KEY };
    servers.set(variant, await Server.start({ peer: 'library', environment }));
    servers.get(variant)!.pause();
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const contestant of all) {
      const server = servers.get(contestant.variant)!;
      server.pause(false);
      const counted = await measure(server, contestant, round === 0 ? WARM_UP_REQUESTS : ROUND_REQUESTS);
      server.pause();
      if (round > 0) rounds.get(contestant)!.push(counted);
    }
  }
  for (const server of servers.values()) await server.stop();

  const rows = GROUPS.flatMap((group) => {
    const [base, ...costs] = [group[0]!, ...group].map((contestant) => lowest(rounds.get(contestant)!));
    return costs.map(({ cpuUs, bytes }, index) => [
      group[index]!.label,
      cpuUs.toFixed(1),
      (cpuUs / base!.cpuUs).toFixed(2),
      (bytes / 1_000).toFixed(1),
    ]);
  });
  const titles = ['', 'CPU µs', '× the first', 'kB a request'];
  console.log(markdownTable([titles, ...rows], { align: titles.map((title) => (title ? 'r' : 'l')) }));
}

/** What a request costs. */
async function measure(server: Server, { request, status }: Contestant, requests: number): Promise<Counted> {
  const client = await Client.connect(server.port, CONNECTIONS, null);
  await server.startCounting();
  await client.send(request, requests, status);
  const { cpuUs, bytes } = await server.stopCounting();
  client.close();
  return { cpuUs: cpuUs / requests, bytes: bytes / requests };
}

function lowest(rounds: readonly Counted[]): Counted {
  const least = (name: keyof Counted) => Math.min(...rounds.map((round) => round[name]));
  return { cpuUs: least('cpuUs'), bytes: least('bytes') };
}
