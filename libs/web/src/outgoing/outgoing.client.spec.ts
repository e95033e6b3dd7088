import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { getEventListeners, once } from 'node:events';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { NoResponse, OutgoingClient, type OutgoingRules } from './outgoing.client.js';

const IN_PRODUCTION: OutgoingRules = { allowHttp: false, allowPrivate: false };
const EVERYTHING: OutgoingRules = { allowHttp: true, allowPrivate: true };

describe('OutgoingClient', () => {
  const clients: OutgoingClient[] = [];
  const servers: (Server | TcpServer)[] = [];
  const sockets = new Set<Socket>();

  afterEach(async () => {
    for (const client of clients.splice(0)) await client.onModuleDestroy();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed));
  });

  function client(rules: OutgoingRules): OutgoingClient {
    const made = new OutgoingClient(rules);
    clients.push(made);
    return made;
  }

  async function listening<S extends Server | TcpServer>(server: S): Promise<S & { readonly port: number }> {
    servers.push(server);
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return Object.assign(server, { port: (server.address() as AddressInfo).port });
  }

  const receiver = (listener: RequestListener) => listening(createServer(listener));

  function post(to: OutgoingClient, url: string, more: { timeoutMs?: number; signal?: AbortSignal } = {}) {
    return to.send({
      url,
      method: 'POST',
      headers: { 'X-Kind': 'test' },
      body: 'Rex',
      timeoutMs: 60_000,
      ...more,
    });
  }

  describe('refuses a URL', () => {
    it.each([
      ['must be a URL', ''],
      ['must be a URL', 'example.com'],
      ['must be a URL', 'https://example.com:99999'],
      ['must not have a backslash', 'https://a.example\\@127.0.0.1/'],
      ['must be an https URL', 'http://example.com'],
      ['must be an https URL', 'ftp://example.com'],
      ['must be an https URL', 'file:///etc/passwd'],
      ['must have the name of a host', 'https://a..b/'],
      ['must have the name of a host', 'https://.example.com'],
      ['must have the name of a host', 'https://example.com..'],
      ['must have the name of a host', `https://${'a'.repeat(64)}.example`],
      ['must have the name of a host', `https://${'abcdefghi.'.repeat(26)}example`],
      ['must not have a user name or a password', 'https://user@example.com'],
      ['must not have a user name or a password', 'https://:secret@example.com'],
      ['must have port 443 or 80', 'https://example.com:8443'],
      ['must have port 443 or 80', 'https://example.com:22'],
      ['must have a public address', 'https://127.0.0.1'],
      ['must have a public address', 'https://0x7f.1'],
      ['must have a public address', 'https://2130706433'],
      ['must have a public address', 'https://0177.0.0.1'],
      ['must have a public address', 'https://127.0.0.1.'],
      ['must have a public address', 'https://①②⑦.⓪.⓪.①'],
      ['must have a public address', 'https://169.254.169.254/latest/meta-data'],
      ['must have a public address', 'https://[::ffff:127.0.0.1]'],
      ['must have a public address', 'https://localhost'],
      ['must have a public address', 'https://LOCALHOST.'],
      ['must have a public address', 'https://shop.localhost'],
    ])('that %s: %s', async (problem, url) => {
      const outgoing = client(IN_PRODUCTION);

      expect(outgoing.problemOf(url)).toBe(problem);
      await expect(post(outgoing, url)).rejects.toThrow(new NoResponse(`The URL ${problem}.`));
    });

    it.each([
      'https://example.com',
      'https://example.com:443/a?b=c',
      'https://1.1.1.1',
      'https://example.com:80',
      'https://example.com.',
      `https://${'a'.repeat(63)}.example`,
    ])('but not %s', (url) => expect(client(IN_PRODUCTION).problemOf(url)).toBeNull());

    it('without TLS only where it is not allowed', () => {
      const outgoing = client({ allowHttp: true, allowPrivate: false });

      expect(outgoing.problemOf('http://example.com')).toBeNull();
      expect(outgoing.problemOf('http://example.com:8080')).toBe('must have port 443 or 80');
      expect(outgoing.problemOf('http://127.0.0.1')).toBe('must have a public address');
      expect(outgoing.problemOf('ftp://example.com')).toBe('must be an https or http URL');
    });

    it('that names no host also where private addresses are allowed', () => {
      const outgoing = client({ allowHttp: false, allowPrivate: true });

      expect(outgoing.problemOf('http://a..b/')).toBe('must have the name of a host');
      expect(outgoing.problemOf('http://shop:8080/')).toBeNull();
      expect(outgoing.problemOf('http://[::1]:8080/')).toBeNull();
    });
  });

  it('sends the method, the path, the headers and the body, and resolves with the status', async () => {
    let seen: object = {};
    const { port } = await receiver((request, response) => {
      const { method, url, headers } = request;
      request.setEncoding('utf8').once('data', (body) => {
        seen = { method, url, kind: headers['x-kind'], host: headers.host, body: body as string };
        response.writeHead(204).end();
      });
    });

    expect(await post(client(EVERYTHING), `http://127.0.0.1:${port}/a?b=c#d`)).toMatchObject({ status: 204 });
    expect(seen).toEqual({
      method: 'POST',
      url: '/a?b=c',
      kind: 'test',
      host: `127.0.0.1:${port}`,
      body: 'Rex',
    });
  });

  it('connects to the address that was resolved, whatever the name resolves to a moment later', async () => {
    const lookedUp: string[] = [];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      return [lookedUp.length === 1 ? '127.0.0.1' : '127.0.0.2'];
    };
    const hosts: unknown[] = [];
    const { port } = await receiver(({ headers }, response) => {
      hosts.push(headers.host);
      response.end();
    });
    const outgoing = client({ ...EVERYTHING, resolve });

    await post(outgoing, `http://shop.example:${port}`);
    expect({ lookedUp, hosts }).toEqual({ lookedUp: ['shop.example'], hosts: [`shop.example:${port}`] });
  });

  it.each<[string, () => Promise<string[]>]>([
    [
      'there is not',
      () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' })),
    ],
    ['has no address', async () => []],
    ['has a private one', async () => ['10.0.0.1']],
    ['is this host', async () => ['127.0.0.1']],
    ['has a private one beside a public one', async () => ['1.1.1.1', '127.0.0.1']],
    ['has a mapped one', async () => ['::ffff:127.0.0.1']],
  ])('connects to no name that %s, and says the same of each', async (_, resolve) => {
    await expect(
      post(client({ ...IN_PRODUCTION, resolve }), 'https://inside.example/'),
    ).rejects.toMatchObject({
      name: 'NoResponse',
      message: 'The host of the URL cannot be reached.',
    });
  });

  it('resolves with the Retry-After of the host, and with the beginning of the body', async () => {
    let after = '60';
    const { port } = await receiver((_, response) =>
      response.writeHead(429, { 'Retry-After': after }).end('Łater '.repeat(400)),
    );
    const send = () => post(client(EVERYTHING), `http://127.0.0.1:${port}/`);

    const { beginning, ...rest } = await send();
    expect(rest).toEqual({ status: 429, retryAfterMs: 60_000 });
    expect(Buffer.byteLength(beginning)).toBeGreaterThanOrEqual(1_024);
    expect(beginning.startsWith('Łater Łater ')).toBe(true);
    after = new Date(Date.now() + 120_000).toUTCString();
    const { retryAfterMs } = await send();
    expect(retryAfterMs).toBeGreaterThan(110_000);
    expect(retryAfterMs).toBeLessThanOrEqual(120_000);
    for (after of ['soon', '-1 s', '']) expect((await send()).retryAfterMs).toBeNull();
  });

  it('sends nothing of a trace, whatever adds it to requests', async () => {
    const seen: string[][] = [];
    const { port } = await receiver((request, response) => {
      seen.push(request.rawHeaders.map((header) => header.toLowerCase()));
      response.end();
    });
    // As the instrumentations of OpenTelemetry do.
    const add = (message: unknown) => {
      const { request } = message as { request: { addHeader(name: string, value: string): void } };
      request.addHeader('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01');
      request.addHeader('tracestate', 'a=b');
      request.addHeader('baggage', 'customer=B-secret');
    };
    subscribe('undici:request:create', add);
    try {
      await post(client(EVERYTHING), `http://127.0.0.1:${port}/`);
      await (await fetch(`http://127.0.0.1:${port}/`)).text();
    } finally {
      unsubscribe('undici:request:create', add);
    }

    const [own, ofOthers] = seen as [string[], string[]];
    for (const name of ['traceparent', 'tracestate', 'baggage']) {
      expect(own).not.toContain(name);
      expect(ofOthers).toContain(name);
    }
    expect(own.filter((name) => name.startsWith('x-'))).toEqual(['x-kind']);
  });

  it('does not follow a redirect', async () => {
    const paths: unknown[] = [];
    const { port } = await receiver(({ url }, response) => {
      paths.push(url);
      response.writeHead(302, { Location: `http://127.0.0.1:${port}/inside` }).end();
    });

    expect(await post(client(EVERYTHING), `http://127.0.0.1:${port}/`)).toMatchObject({ status: 302 });
    expect(paths).toEqual(['/']);
  });

  it('gives up a receiver that never answers', async () => {
    const { port } = await listening(createTcpServer());

    await expect(post(client(EVERYTHING), `http://127.0.0.1:${port}`, { timeoutMs: 100 })).rejects.toThrow(
      'There was no response within 0.1 s.',
    );
  });

  it('gives up one that sends its headers for ever', async () => {
    const { port } = await listening(
      createTcpServer((socket) => {
        socket.write('HTTP/1.1 200 OK\r\n');
        const timer = setInterval(() => socket.write('X: y\r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      }),
    );

    await expect(post(client(EVERYTHING), `http://127.0.0.1:${port}`, { timeoutMs: 300 })).rejects.toThrow(
      NoResponse,
    );
  });

  it('reads no more than headers of 16 KiB', async () => {
    const { port } = await listening(
      createTcpServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`)),
    );

    await expect(post(client(EVERYTHING), `http://127.0.0.1:${port}`)).rejects.toThrow(
      'The connection failed: UND_ERR_HEADERS_OVERFLOW.',
    );
  });

  it.each([
    ['interim responses', '', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
    ['a status line', 'HTTP/1.1 200 ', 'O'],
    ['empty lines', '', '\r\n'],
  ])('gives up one that sends %s without an end, long before its time is over', async (_, start, piece) => {
    let sent = 0;
    const { port } = await listening(
      createTcpServer((socket) => {
        const pieces = Buffer.from(piece.repeat(Math.ceil(16_384 / piece.length)));
        const go = () => {
          while (!socket.destroyed && socket.write(pieces)) sent += pieces.length;
        };
        socket.once('data', () => {
          socket.write(start);
          go();
        });
        socket.on('drain', go);
      }),
    );

    await expect(post(client(EVERYTHING), `http://127.0.0.1:${port}`)).rejects.toThrow(
      new NoResponse('The response was too long.'),
    );
    // Buffers of the sockets of both sides.
    expect(sent).toBeLessThan(20_000_000);
  });

  it('has at most a hundred requests on a connection', async () => {
    const counts = new Map<Socket, number>();
    const { port } = await receiver(({ socket }, response) => {
      counts.set(socket, (counts.get(socket) ?? 0) + 1);
      response.end();
    });
    const outgoing = client(EVERYTHING);

    for (let count = 0; count < 250; count++)
      expect(await post(outgoing, `http://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
    expect(Math.max(...counts.values())).toBe(100);
  });

  it('closes the connection of a body without an end, and has its status', async () => {
    let sent = 0;
    const { port } = await receiver((_, response) => {
      const go = () => {
        while (!response.destroyed && response.write('x'.repeat(1_024))) sent += 1_024;
      };
      response.on('drain', go).on('error', () => undefined);
      go();
    });

    expect(await post(client(EVERYTHING), `http://127.0.0.1:${port}`)).toMatchObject({ status: 200 });
    await Promise.all([...sockets].map((socket) => new Promise((closed) => socket.on('close', closed))));
    // Buffers of the sockets of both sides.
    expect(sent).toBeLessThan(20_000_000);
  });

  describe('waits for the rest of a body', () => {
    const second = new AbortController();
    let begun: Promise<number>;

    beforeEach(() => {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'queueMicrotask'] });
      begun = new Promise((begin) =>
        jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
          begin(ms);
          return second.signal;
        }),
      );
    });
    afterEach(() => {
      jest.restoreAllMocks();
      jest.useRealTimers();
    });

    it.each<[string, () => void]>([
      ['no longer than its time', () => jest.advanceTimersByTime(200)],
      ['a second', () => second.abort()],
    ])('%s', async (_, pass) => {
      const { port } = await receiver((_, response) => void response.write('a'));

      const sent = post(client(EVERYTHING), `http://127.0.0.1:${port}`, { timeoutMs: 200 });
      expect(await begun).toBe(1_000);
      pass();
      expect(await sent).toMatchObject({ status: 200 });
    });
  });

  it('has a bounded number of connections to a host', async () => {
    const pending: ServerResponse[] = [];
    let open = 0;
    let max = 0;
    let isReleased = false;
    const release = (response: ServerResponse) => {
      open--;
      response.end();
    };
    const { port } = await receiver((_, response) => {
      max = Math.max(max, ++open);
      if (isReleased) return void setImmediate(release, response);
      if (pending.push(response) < 128) return;
      // A further connection would come meanwhile.
      setTimeout(() => {
        isReleased = true;
        pending.forEach(release);
      }, 100);
    });
    const outgoing = client(EVERYTHING);

    await Promise.all(Array.from({ length: 300 }, () => post(outgoing, `http://127.0.0.1:${port}`)));
    expect(max).toBe(128);
  });

  it.each(['another host', 'the same host'])(
    'delays no request to %s for one without response',
    async (to) => {
      const silent = await receiver(({ url }, response) => void (url === '/' && response.end()));
      const other = to === 'the same host' ? silent : await receiver((_, response) => response.end());
      const outgoing = client(EVERYTHING);
      const abort = new AbortController();
      const silence = Array.from({ length: 100 }, () =>
        post(outgoing, `http://127.0.0.1:${silent.port}/never`, { signal: abort.signal }).catch(
          (error: unknown) => error,
        ),
      );

      expect(await post(outgoing, `http://127.0.0.1:${other.port}`)).toMatchObject({ status: 200 });
      const reason = new Error('It was served before all others.');
      abort.abort(reason);
      expect(new Set(await Promise.all(silence))).toEqual(new Set([reason]));
    },
  );

  it('ends with its signal, whose reason it throws', async () => {
    const { port } = await listening(createTcpServer());
    const abort = new AbortController();
    const sent = post(client(EVERYTHING), `http://127.0.0.1:${port}`, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error('The server stops.')), 20);

    await expect(sent).rejects.toThrow('The server stops.');
  });

  it.each<[string, () => { timeoutMs?: number; signal?: AbortSignal }, string]>([
    ['when its time has passed', () => ({ timeoutMs: 50 }), 'There was no response within 0.05 s.'],
    ['by its signal', () => ({ signal: AbortSignal.timeout(50) }), 'aborted due to timeout'],
    ['by a signal of before', () => ({ signal: AbortSignal.abort(new Error('late')) }), 'late'],
  ])(
    'ends %s, also while it waits for a name server',
    async (_, end, message) => {
      const outgoing = client({ ...EVERYTHING, resolve: () => new Promise(() => undefined) });

      await expect(post(outgoing, 'http://shop.example', end())).rejects.toThrow(message);
    },
    // Less than a connection may take.
    5_000,
  );

  it('leaves no listener at a signal when it has ended', async () => {
    const { port } = await receiver((_, response) => response.end());
    const any = jest.spyOn(AbortSignal, 'any');
    const { signal } = new AbortController();

    await post(client(EVERYTHING), `http://127.0.0.1:${port}`, { signal });
    const signals = any.mock.results.map(({ value }) => value as AbortSignal);
    any.mockRestore();
    expect([signal, ...signals].map((one) => getEventListeners(one, 'abort').length)).toEqual([0, 0, 0]);
  });

  it('says what a connection fails with', async () => {
    const server = await listening(createTcpServer());
    await new Promise((closed) => server.close(closed));
    servers.length = 0;

    await expect(post(client(EVERYTHING), `http://127.0.0.1:${server.port}`)).rejects.toThrow(
      'The connection failed: ECONNREFUSED.',
    );
  });
});
