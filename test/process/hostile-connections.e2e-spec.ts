import { readdirSync, readFileSync } from 'node:fs';
import { exchange, RawConnection, type RawResponse } from '@animal-store/web/testing';
import { cutRequest, cutResponse } from '../support/cut-connection.js';
import { FirstServer } from '../support/first-server.js';
import { addition, bearer, closingPipeline, get, upgradeDesync } from '../support/hostile-requests.js';
import { type ServerProcess, within } from '../support/server-process.js';

const MIB = 1_048_576;
/** Each request has its own id. All ids have the same length, so all requests do too. */
const FIRST_ID = 'cut-0001';
const AT_ONCE = 20;

jest.setTimeout(90_000);

describe('Hostile connections', () => {
  let first: FirstServer;
  let key: string;
  let server: ServerProcess;

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
  });

  afterAll(() => first.remove());

  async function names(): Promise<string[]> {
    return (await server.animals(key)).map(({ name }) => name);
  }

  /** Opens connections one soon after the other. They read nothing. */
  async function silentClients(count: number, text: string): Promise<RawConnection[]> {
    const clients: RawConnection[] = [];
    for (let opened = 0; opened < count; opened++) {
      const client = await RawConnection.open(server.port);
      client.socket.pause();
      clients.push(client.send(text));
    }
    return clients;
  }

  function residentBytes(): number {
    const [, pages] = readFileSync(`/proc/${server.pid}/statm`, 'utf8').split(' ');
    return Number(pages) * 4_096;
  }

  function openFiles(): number {
    return readdirSync(`/proc/${server.pid}/fd`).length;
  }

  function closes(responses: readonly RawResponse[]): boolean {
    return responses.at(-1)?.headers['connection'] === 'close';
  }

  it('with requests after a response that closes do not end the process', async () => {
    for (let round = 0; round < 16 && !server.hasEnded; round++) {
      // Single requests before change how the service groups the next responses.
      await Promise.all(Array.from({ length: round % 8 }, () => server.get('/health/live')));
      const responses = await exchange(server.port, closingPipeline()).catch(() => []);

      expect(responses.map(({ status }) => status)).toEqual([401]);
      expect(closes(responses)).toBe(true);
    }
    expect(server.hasEnded).toBe(false);
  });

  it('that read nothing occupy little memory and no file of the server', async () => {
    const page = await (await server.get('/docs')).text();
    const script = /\/docs\/assets\/swagger-ui-bundle-\w+\.js/.exec(page)![0];
    for (const path of [script, '/openapi.json', '/docs']) {
      // The first response of each kind is made and compressed.
      await server.get(path);
      const before = residentBytes();
      const clients = await silentClients(100, get(path).repeat(32));
      await within(20_000, async () => (await server.get('/health/live')).ok);
      const grown = residentBytes() - before;
      const files = openFiles();
      for (const client of clients) client.close();
      expect({ path, isSmall: grown < 40 * MIB, grown }).toMatchObject({ isSmall: true });
      expect(files).toBeLessThan(100 + 60);
    }
  });

  it('that request another protocol get the response and are closed, and what follows is no request', async () => {
    const smuggled = addition(key, 'Smuggled').join('');
    const [first, second] = upgradeDesync(key, smuggled);
    const client = await RawConnection.open(server.port);
    await client.send(first).until(1);
    const responses = await client.send(second).untilClosed();

    expect(responses.map(({ status }) => status)).toEqual([200]);
    expect(closes(responses)).toBe(true);
    expect(await names()).not.toContain('Smuggled');
  });

  it('may be a thousand at once: the kernel accepts them while the server is busy', async () => {
    process.kill(server.pid, 'SIGSTOP');
    let clients: RawConnection[];
    try {
      const opening = Promise.all(Array.from({ length: 1_000 }, () => RawConnection.open(server.port)));
      const tooLate = new Promise<never>((_, reject) =>
        setTimeout(reject, 5_000, new Error('Not accepted.')).unref(),
      );
      clients = await Promise.race([opening, tooLate]);
    } finally {
      process.kill(server.pid, 'SIGCONT');
    }
    const answered = await Promise.all(clients.map((client) => client.send(get('/health/live')).until(1)));
    for (const client of clients) client.close();

    expect(answered.flat().map(({ status }) => status)).toEqual(Array<number>(1_000).fill(200));
  });

  describe('that are reset at any byte', () => {
    let cuts = 0;

    function newId(): string {
      return `cut-${String(++cuts).padStart(4, '0')}`;
    }

    const list = (id: string) => get('/v1/pets?limit=1', `X-Request-Id: ${id}`, bearer(key));

    /** Adds an animal whose name is the request's id. */
    const add = (id: string) => addition(key, id, `X-Request-Id: ${id}`).join('');

    /** Resolves when the server has read everything that was sent before, as one thread handles all requests. */
    async function seen(): Promise<void> {
      await (await server.get('/health/live')).text();
    }

    /** Cuts a request after each byte but the last, before and after the server has read it. Returns the ids. */
    async function cutEachByteOfRequest(request: (id: string) => string): Promise<string[]> {
      const ids: string[] = [];
      const { length } = request(FIRST_ID);
      for (let first = 0; first < length; first += AT_ONCE) {
        const some = Array.from({ length: 2 * Math.min(AT_ONCE, length - first) }, newId);
        await Promise.all(
          some.map((id, index) =>
            cutRequest(server.port, request(id), first + (index >> 1), index % 2 === 0 ? undefined : seen),
          ),
        );
        ids.push(...some);
      }
      return ids;
    }

    /** Cuts the response after each byte, including the last one. Returns the ids. */
    async function cutEachByteOfResponse(request: (id: string) => string): Promise<string[]> {
      const ids: string[] = [];
      for (let isWhole = false, bytes = 1; !isWhole; bytes += AT_ONCE) {
        const some = Array.from({ length: AT_ONCE }, newId);
        const sizes = await Promise.all(
          some.map((id, index) => cutResponse(server.port, request(id), bytes + index)),
        );
        isWhole = sizes.some(({ length }, index) => length < bytes + index);
        ids.push(...some);
      }
      return ids;
    }

    /** The number of log lines for each of the requests. */
    async function linesOf(ids: readonly string[]): Promise<number[]> {
      const last = newId();
      await cutResponse(server.port, list(last), 1);
      await within(5_000, () => server.stdout.includes(last));
      const lines = new Map<string, number>();
      for (const [, id] of server.stdout.matchAll(/"requestId":"(cut-\d+)"/g)) {
        lines.set(id!, (lines.get(id!) ?? 0) + 1);
      }
      return ids.map((id) => lines.get(id) ?? 0);
    }

    it('adds no animal for an incomplete request', async () => {
      const ids = await cutEachByteOfRequest(add);
      expect(ids.length).toBeGreaterThan(300);
      const added = new Set(await names());
      expect(ids.filter((id) => added.has(id))).toEqual([]);
      expect(Math.max(...(await linesOf(ids)))).toBe(1);
    });

    it('adds an animal once and logs its request once when the response is cut', async () => {
      const ids = await cutEachByteOfResponse(add);
      expect(ids.length).toBeGreaterThan(300);
      const stored = new Set(ids);
      expect((await names()).filter((name) => stored.has(name)).sort()).toEqual(ids);
      expect(new Set(await linesOf(ids))).toEqual(new Set([1]));
    });

    it('logs a request for a list once when the request or the response is cut', async () => {
      const halves = await cutEachByteOfRequest(list);
      const ids = await cutEachByteOfResponse(list);
      expect(ids.length).toBeGreaterThan(300);
      expect(new Set(await linesOf(halves))).toEqual(new Set([0]));
      expect(new Set(await linesOf(ids))).toEqual(new Set([1]));
    });

    it('leaves no open connection or request', async () => {
      await seen();
      const { code, stdout, stderr } = await server.stop('SIGTERM');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('shutting down. Running requests: 0.');
      expect(stdout).not.toContain('"level":"error"');
    });
  });
});
