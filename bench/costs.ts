import { Client } from './bytes/client.js';
import { type Counted, Server, type ServerParts } from './servers.js';

const WARM_UP_REQUESTS = 8_000;
const WARM_UP_CONNECTIONS = 64;
const ROUNDS = 4;
/** On one connection a request waits for two processes to get their turn. */
const requestsOn = (connections: number) => (connections === 1 ? 500 : 2_000);

/** One request to one application. */
export interface Contestant {
  readonly label: string;
  readonly variant: string;
  readonly peer?: ServerParts['peer'];
  readonly request: string;
  readonly status?: string;
}

export const get = (path: string, header = '') => `GET ${path} HTTP/1.1\r\nHost: ships\r\n${header}\r\n`;
const SHIP = '{"name":"Ada","berth":7}';
export const POST = `POST /ships HTTP/1.1\r\nHost: ships\r\nContent-Type: application/json\r\nContent-Length: ${SHIP.length}\r\n\r\n${SHIP}`;

/**
 * What a request costs on so many connections: CPU time and bytes, the lowest of some rounds. The contestants take
 * turns, and are paused while others are measured.
 */
export async function costsOf(
  all: readonly Contestant[],
  connections: readonly number[],
  environment: NodeJS.ProcessEnv,
): Promise<(contestant: Contestant, connections: number) => Counted> {
  const lowest = new Map<string, Counted>();
  const nameOf = (contestant: Contestant, count: number) => `${all.indexOf(contestant)} ${count}`;
  const servers = new Map<string, Server>();
  for (const { variant, peer = 'library' } of all) {
    if (servers.has(variant)) continue;
    const server = await Server.start({ peer, environment: { VARIANT: variant, ...environment } });
    servers.set(variant, server);
    server.pause();
  }
  const measureOne = async (contestant: Contestant, count: number, requests: number) => {
    const server = servers.get(contestant.variant)!;
    server.pause(false);
    const counted = await measure(server, contestant, count, requests);
    server.pause();
    return counted;
  };
  for (const contestant of all) await measureOne(contestant, WARM_UP_CONNECTIONS, WARM_UP_REQUESTS);
  for (let round = 0; round < ROUNDS; round++) {
    for (const count of connections) {
      for (const contestant of all) {
        const { cpuUs, bytes } = await measureOne(contestant, count, requestsOn(count));
        const before = lowest.get(nameOf(contestant, count)) ?? { cpuUs, bytes };
        lowest.set(nameOf(contestant, count), {
          cpuUs: Math.min(before.cpuUs, cpuUs),
          bytes: Math.min(before.bytes, bytes),
        });
      }
    }
  }
  for (const server of servers.values()) await server.stop();
  return (contestant, count) => lowest.get(nameOf(contestant, count))!;
}

async function measure(
  server: Server,
  { request, status }: Contestant,
  connections: number,
  requests: number,
): Promise<Counted> {
  const client = await Client.connect(server.port, connections, null);
  await server.startCounting();
  await client.send(request, requests, status);
  const { cpuUs, bytes } = await server.stopCounting();
  client.close();
  return { cpuUs: cpuUs / requests, bytes: bytes / requests };
}
