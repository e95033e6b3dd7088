import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@animal-store/web/testing';
import {
  addition,
  bearer,
  closing,
  closingPipeline,
  get,
  UNREADABLE,
  upgradeDesync,
  withoutLength,
} from '../support/hostile-requests.js';
import { Random } from '../support/random.js';
import { ServerProcess, within } from '../support/server-process.js';

/** How many hostile requests are sent. A long run sends 300,000. */
const REQUESTS = Number(process.env['HOSTILE_REQUESTS'] ?? 5_000);
/** How many clients at once read nothing. */
const READERS = Number(process.env['HOSTILE_READERS'] ?? 150);
const SEED = Number(process.env['HOSTILE_SEED'] ?? 20_301_205);
const PATIENCE_A_REQUEST_MS = 4;
const HOSTILE_AT_ONCE = 24;
const HONEST_AT_ONCE = 4;
const MANY = '1000000000';
const MOST_RESIDENT_BYTES = 300 * 1_048_576;

jest.setTimeout(90_000 + REQUESTS * PATIENCE_A_REQUEST_MS);

describe(`Beside hostile connections (seed ${SEED})`, () => {
  let folder: string;
  let key: string;
  let server: ServerProcess;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'hostile-load-'));
    server = await ServerProcess.start({
      folder,
      environment: { DATABASE_URL: `sqlite:${folder}/store.db`, FREE_PER_MINUTE: MANY, FREE_PER_DAY: MANY },
    });
    // The first start creates a key of the Free plan.
    key = await within(5_000, () => /ask_live_\w+/.exec(server.stdout)?.[0]);
  });

  afterAll(async () => {
    await server.stop('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  interface Attack {
    /** What is sent, in one or two writes. */
    readonly texts: readonly string[];
    /** The number of its requests. */
    readonly count: number;
    readonly isUnread?: boolean;
  }

  function attack(random: Random): Attack {
    const behind = addition(key, 'Hostile').join('');
    const waiting = addition(key, 'Hostile', 'Expect: 100-continue');
    const known = random.chance(0.5) ? [bearer(key)] : [];
    const kinds: (() => Attack)[] = [
      () => ({ texts: [closingPipeline(...known)], count: 15 }),
      () => ({ texts: [closing(behind.repeat(3), ...known)], count: 4 }),
      () => ({ texts: upgradeDesync(key, behind), count: 3 }),
      () => ({ texts: [withoutLength(key, behind)], count: 2 }),
      () => ({ texts: [waiting[0].replace(bearer(key), 'X: y'), waiting[1] + behind], count: 2 }),
      () => ({ texts: [get('/openapi.json').repeat(20)], count: 20, isUnread: true }),
      () => ({ texts: [`${get('/v1/pets', ...known).repeat(5)}${random.pick(UNREADABLE)[1]}`], count: 6 }),
      () => ({ texts: [random.pick(UNREADABLE)[1], behind], count: 2 }),
      () => ({ texts: [get('/v1/pets', ...known, 'Connection: close') + behind.repeat(5)], count: 6 }),
      () => ({ texts: [changed(behind + closing(behind), random)], count: 3 }),
    ];
    return random.pick(kinds)();
  }

  /** Replaces a few bytes, but never in the name, so that an animal that was added by it can be found. */
  function changed(message: string, random: Random): string {
    const place = random.between(0, message.length);
    return message.slice(0, place) + random.bytes(random.between(0, 4)) + message.slice(place + 2);
  }

  async function hostile(random: Random): Promise<number> {
    const { texts, count, isUnread } = attack(random);
    const client = await RawConnection.open(server.port);
    if (isUnread) client.socket.pause();
    for (const part of texts) {
      client.send(part);
      if (random.chance(0.5)) await delay(random.between(0, 3));
    }
    if (random.chance(0.3)) client.reset();
    else {
      await Promise.race([once(client.socket, 'close'), delay(random.between(1, 30))]);
      client.close();
    }
    const worst = Math.max(0, ...client.responses.map(({ status }) => status));
    if (worst >= 500)
      throw new Error(`Status ${worst}: ${JSON.stringify(texts).replaceAll(key, '<API_KEY>')}`);
    return count;
  }

  async function honest(agent: Agent, id: string): Promise<void> {
    const headers = {
      Authorization: `Bearer ${key}`,
      'Content-Type': 'application/json',
      'X-Request-Id': id,
    };
    const sent = request({ port: server.port, path: '/v1/pets', method: 'POST', headers, agent });
    sent.end(JSON.stringify({ name: id, categoryId: 7 }));
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const body = JSON.parse(await text(response)) as { name: string };
    const seen = { status: response.statusCode, id: response.headers['x-request-id'], name: body.name };
    expect(seen).toEqual({ status: 201, id, name: id });
  }

  it(`every honest request gets its own response, beside ${REQUESTS} hostile ones, and the server goes on`, async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: HONEST_AT_ONCE });
    let sent = 0;
    let served = 0;
    const attackers = Array.from({ length: HOSTILE_AT_ONCE }, async (_, index) => {
      const random = new Random(SEED, `hostile ${index}`);
      while (sent < REQUESTS) {
        const count = await hostile(random);
        sent += count;
      }
    });
    const callers = Array.from({ length: HONEST_AT_ONCE }, async () => {
      while (sent < REQUESTS) await honest(agent, `honest-${++served}`);
    });
    await Promise.all([...attackers, ...callers]);
    agent.destroy();

    expect(server.hasEnded).toBe(false);
    expect(server.takeStdout()).not.toMatch(/"status":5\d\d/);
    expect(served).toBeGreaterThan(REQUESTS / 200);
  });

  it(`${READERS} clients that read nothing of a public page leave the memory under 300 MB`, async () => {
    const page = await (await server.get('/docs')).text();
    const assets = page.match(/\/docs\/assets\/[\w.-]+/g)!;
    const paths = [...new Set(assets), '/', '/docs', '/docs/errors', '/openapi.json', '/health/ready'];
    for (const path of paths) {
      const clients: RawConnection[] = [];
      for (let opened = 0; opened < READERS; opened++) {
        const client = await RawConnection.open(server.port);
        client.socket.pause();
        clients.push(client.send(get(path, 'Accept: text/html').repeat(32)));
      }
      await server.get('/health/live');
      const [, pages] = readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ');
      const residentBytes = Number(pages) * 4_096;
      for (const client of clients) client.close();
      if (process.env['HOSTILE_READERS']) console.log(path, Math.round(residentBytes / 1_048_576), 'MiB');
      expect(residentBytes).toBeLessThan(MOST_RESIDENT_BYTES);
    }
  });

  it('and SIGTERM ends it with 0', async () => {
    const { code, stderr } = await server.stop('SIGTERM');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });
});
