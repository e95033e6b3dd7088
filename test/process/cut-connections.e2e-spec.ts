import { cutRequest, cutResponse } from '../support/cut-connection.js';
import { FirstServer } from '../support/first-server.js';
import { type ServerProcess, within } from '../support/server-process.js';

/** Each request has its own id. All ids have the same length, so all requests do too. */
const FIRST_ID = 'cut-0001';
const AT_ONCE = 20;
/** The time limit of a test, which makes about two thousand connections. */
const LIMIT_MS = 120_000;

jest.setTimeout(LIMIT_MS);

describe('A connection that is reset at any byte', () => {
  let first: FirstServer;
  let server: ServerProcess;
  let key: string;
  let cuts = 0;

  beforeAll(async () => {
    first = await FirstServer.start();
    ({ key, process: server } = first);
  });

  afterAll(() => first.remove());

  function newId(): string {
    return `cut-${String(++cuts).padStart(4, '0')}`;
  }

  function get(id: string): string {
    return `GET /v1/pets?limit=1 HTTP/1.1\r\nHost: store\r\nX-Request-Id: ${id}\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  }

  /** Adds an animal whose name is the request's id. */
  function post(id: string): string {
    const body = `{"name":"${id}","categoryId":7}`;
    return [
      'POST /v1/pets HTTP/1.1',
      'Host: store',
      `X-Request-Id: ${id}`,
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ].join('\r\n');
  }

  /** Resolves when the server has read everything that was sent before, as one thread handles all requests. */
  async function seen(): Promise<void> {
    await (await server.get('/health/live')).text();
  }

  async function storedNames(): Promise<string[]> {
    const names: string[] = [];
    let path: string | undefined = '/v1/pets?limit=100';
    while (path !== undefined) {
      const response = await server.get(path, key);
      names.push(...((await response.json()) as { name: string }[]).map(({ name }) => name));
      path = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return names;
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
      const taken = await Promise.all(
        some.map((id, index) => cutResponse(server.port, request(id), bytes + index)),
      );
      isWhole = taken.some(({ length }, index) => length < bytes + index);
      ids.push(...some);
    }
    return ids;
  }

  /** The number of log lines for each of the requests. */
  async function linesOf(ids: readonly string[]): Promise<number[]> {
    const last = newId();
    await cutResponse(server.port, get(last), 1);
    await within(5_000, () => server.stdout.includes(last));
    const lines = new Map<string, number>();
    for (const [, id] of server.stdout.matchAll(/"requestId":"(cut-\d+)"/g)) {
      lines.set(id!, (lines.get(id!) ?? 0) + 1);
    }
    return ids.map((id) => lines.get(id) ?? 0);
  }

  it('adds no animal for an incomplete request', async () => {
    const ids = await cutEachByteOfRequest(post);
    expect(ids.length).toBeGreaterThan(300);
    const names = new Set(await storedNames());
    expect(ids.filter((id) => names.has(id))).toEqual([]);
    expect(Math.max(...(await linesOf(ids)))).toBe(1);
  });

  it('adds an animal once and logs its request once when the response is cut', async () => {
    const ids = await cutEachByteOfResponse(post);
    expect(ids.length).toBeGreaterThan(300);
    const stored = new Set(ids);
    expect((await storedNames()).filter((name) => stored.has(name)).sort()).toEqual(ids);
    expect(new Set(await linesOf(ids))).toEqual(new Set([1]));
  });

  it('logs a request for a list once when the request or the response is cut', async () => {
    const halves = await cutEachByteOfRequest(get);
    const ids = await cutEachByteOfResponse(get);
    expect(ids.length).toBeGreaterThan(300);
    expect(new Set(await linesOf(halves))).toEqual(new Set([0]));
    expect(new Set(await linesOf(ids))).toEqual(new Set([1]));
  });

  it('leaves no open connection or request behind', async () => {
    await seen();
    const { code, stdout, stderr } = await server.stop('SIGTERM');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('shutting down. Running requests: 0.');
    expect(stdout).not.toContain('"level":"error"');
  });
});
