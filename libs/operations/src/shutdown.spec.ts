import { EventEmitter, once } from 'node:events';
import { Agent, createServer, get, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { FrontDoor } from '@animal-store/web';
import { ACCEPT_QUIET_MS, IDLE_GRACE_MS } from '@animal-store/web/testing';
import { ShutdownController, shutDownOnSignals, type ShutdownParts } from './shutdown.js';

const REQUEST = 'GET / HTTP/1.1\r\nHost: store\r\n\r\n';

/** One long turn of the event loop. */
function blockFor(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs) continue;
}

class FakeProcess extends EventEmitter {
  readonly exitCodes: number[] = [];

  exit(code: number): never {
    this.exitCodes.push(code);
    return undefined as never;
  }
}

describe('shutDownOnSignals', () => {
  let process: FakeProcess;
  let server: Server;
  let port: number;
  let steps: string[];
  let agent: Agent;
  let running: ServerResponse[];
  let parts: ShutdownParts;

  beforeEach(async () => {
    process = new FakeProcess();
    // An earlier test may still be closing, so each test has its own list.
    const own: string[] = [];
    steps = own;
    running = [];
    agent = new Agent({ keepAlive: true });
    server = createServer();
    const frontDoor = new FrontDoor(
      {
        maxConnections: 1_000,
        headersTimeoutMs: 10_000,
        requestTimeoutMs: 15_000,
        keepAliveTimeoutMs: 60_000,
      },
      {
        started: () => undefined,
        finished: () => undefined,
        unserved: () => undefined,
        dropped: () => undefined,
      },
    );
    frontDoor.open({
      server,
      handle: (_, response) => {
        running.push(response);
        server.emit('running');
      },
      count: () => true,
    });
    parts = {
      process: process as unknown as ShutdownParts['process'],
      readiness: { startShutdown: () => own.push('not ready') },
      controller: new ShutdownController(),
      frontDoor,
      closeApplication: () => {
        own.push('hooks');
        return Promise.resolve();
      },
      flushLog: async () => {
        await new Promise(setImmediate);
        own.push('log');
      },
      delayMs: 0,
      graceMs: 10_000,
      logger: {
        log: () => undefined,
        warn: (message: string) => own.push(message),
        fatal: (error: Error) => own.push(error.message),
      },
    };
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });

  afterEach(() => {
    jest.useRealTimers();
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });

  /** Sends a request and resolves when the server handles it. */
  async function send(): Promise<{ pendingResponse: Promise<IncomingMessage> }> {
    const pendingResponse = once(get({ port, agent }), 'response').then(
      ([response]) => response as IncomingMessage,
    );
    pendingResponse.catch(() => undefined);
    await once(server, 'running');
    return { pendingResponse };
  }

  async function connected(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    await Promise.all([once(socket, 'connect'), once(server, 'connection')]);
    return socket;
  }

  async function stopsListening(): Promise<void> {
    while (server.listening) await new Promise(setImmediate);
  }

  async function exitCodes(): Promise<number[]> {
    while (process.exitCodes.length === 0) await new Promise(setImmediate);
    return process.exitCodes;
  }

  /** What the client has received, when it has all of it. */
  async function received({ pendingResponse }: Awaited<ReturnType<typeof send>>): Promise<unknown> {
    const response = await pendingResponse;
    const { statusCode, headers } = response.resume();
    // After this the agent can reuse the connection.
    await once(response, 'close');
    return { statusCode, connection: headers.connection };
  }

  const signal = (name: string) => process.emit(name, name);

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'])(
    'at %s turns readiness off, runs the hooks and exits with 0',
    async (name) => {
      shutDownOnSignals(parts);
      signal(name);
      expect(steps).toEqual(['not ready']);

      expect(await exitCodes()).toEqual([0]);
      expect(steps).toEqual(['not ready', 'hooks', 'log']);
    },
  );

  it('lets a running request finish before the hooks, and accepts no new connection', async () => {
    shutDownOnSignals(parts);
    const sent = await send();
    signal('SIGINT');
    await stopsListening();
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    expect(steps).toEqual(['not ready']);

    running[0]!.end('[]');
    expect(await received(sent)).toEqual({ statusCode: 200, connection: 'close' });
    expect(await exitCodes()).toEqual([0]);
    expect(steps).toEqual(['not ready', 'hooks', 'log']);
  });

  it('fires its signal before the grace period, so that a stream ends by itself', async () => {
    const controller = new ShutdownController();
    shutDownOnSignals({ ...parts, controller });
    const { pendingResponse } = await send();
    running[0]!.write('one event');
    const response = await pendingResponse;
    controller.signal.addEventListener('abort', () => running[0]!.end());
    signal('SIGTERM');
    expect(controller.signal.aborted).toBe(true);

    expect(await text(response)).toBe('one event');
    expect(await exitCodes()).toEqual([0]);
    expect(steps).toEqual(['not ready', 'hooks', 'log']);
  });

  it('serves the connections that wait to be accepted when the signal comes', async () => {
    shutDownOnSignals(parts);
    const sockets = Array.from({ length: 20 }, () => connect(port, '127.0.0.1'));
    const responses = sockets.map((socket) => {
      socket.write(REQUEST);
      return text(socket);
    });
    server.on('running', () => running.at(-1)!.end('[]'));
    // Then they are connected, but no turn of the event loop has accepted them.
    await new Promise<void>(globalThis.process.nextTick);
    signal('SIGTERM');

    for (const response of await Promise.all(responses)) expect(response).toMatch(/^HTTP\/1\.1 200 /);
    expect(await exitCodes()).toEqual([0]);
  });

  it('serves connections that wait while a turn of the event loop takes long', async () => {
    shutDownOnSignals(parts);
    signal('SIGTERM');
    // The timers are due when this turn ends.
    const socket = connect(port, '127.0.0.1');
    socket.write(REQUEST);
    server.on('running', () => running.at(-1)!.end('[]'));
    await new Promise<void>(globalThis.process.nextTick);
    blockFor(2 * ACCEPT_QUIET_MS);

    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it.each(['for the first time', 'again'])(
    'serves a request that has arrived %s when a long turn ends, and idle connections would be closed',
    async (time) => {
      shutDownOnSignals(parts);
      server.on('running', () => running.at(-1)!.end('[]'));
      const socket = await connected();
      if (time === 'again') {
        socket.write(REQUEST);
        await once(socket, 'data');
      }
      signal('SIGTERM');
      await stopsListening();
      socket.write(REQUEST);
      blockFor(IDLE_GRACE_MS + 50);

      expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it('accepts requests during the delay, while it is not ready', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'Date', 'performance'] });
    shutDownOnSignals({ ...parts, delayMs: 5_000 });
    signal('SIGTERM');
    expect(steps).toEqual(['not ready']);
    await jest.advanceTimersByTimeAsync(4_999);
    expect((parts.controller as ShutdownController).signal.aborted).toBe(false);

    const sent = await send();
    running[0]!.end('[]');
    expect(await received(sent)).toEqual({ statusCode: 200, connection: 'keep-alive' });

    await jest.advanceTimersByTimeAsync(1 + ACCEPT_QUIET_MS);
    await stopsListening();
    await expect(once(connect(port, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');
    agent.destroy();
    expect(await exitCodes()).toEqual([0]);
  });

  it('waits for no idle connection, whether or not it ever sent a request', async () => {
    shutDownOnSignals(parts);
    const neverUsed = await connected();
    const sent = await send();
    running.pop()!.end();
    await received(sent);

    signal('SIGTERM');
    expect(await exitCodes()).toEqual([0]);
    neverUsed.destroy();
  });

  it('closes a connection that becomes idle although its response began before the signal', async () => {
    shutDownOnSignals(parts);
    const { pendingResponse } = await send();
    running[0]!.writeHead(200).flushHeaders();
    const response = await pendingResponse;
    signal('SIGTERM');
    running[0]!.end();
    response.resume();

    expect(await exitCodes()).toEqual([0]);
  });

  it('aborts requests that still run after the grace period, and still exits with 0', async () => {
    shutDownOnSignals({ ...parts, graceMs: 20 });
    const { pendingResponse } = await send();
    signal('SIGTERM');

    await expect(pendingResponse).rejects.toThrow('socket hang up');
    expect(await exitCodes()).toEqual([0]);
    expect(steps).toEqual(['not ready', 'Running requests aborted after 20 ms: 1.', 'hooks', 'log']);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('exits at once when %s is the second signal', async (second, exitCode) => {
    shutDownOnSignals(parts);
    await send();
    signal('SIGTERM');
    signal(second);

    expect(process.exitCodes).toEqual([exitCode]);
  });

  it('continues to shut down when a terminal hangs up twice', async () => {
    shutDownOnSignals(parts);
    signal('SIGHUP');
    signal('SIGHUP');

    expect(await exitCodes()).toEqual([0]);
    expect(steps).toEqual(['not ready', 'hooks', 'log']);
  });

  it('exits with 1 when a hook fails', async () => {
    shutDownOnSignals({ ...parts, closeApplication: () => Promise.reject(new Error('The disk is full.')) });
    signal('SIGTERM');

    expect(await exitCodes()).toEqual([1]);
    expect(steps).toEqual(['not ready', 'The disk is full.', 'log']);
  });

  it('exits with 1 when a hook hangs', async () => {
    shutDownOnSignals({ ...parts, closeApplication: () => new Promise(() => undefined) });
    const closed = once(server, 'close');
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick'] });
    signal('SIGTERM');
    await jest.advanceTimersByTimeAsync(ACCEPT_QUIET_MS);
    await closed;
    await jest.advanceTimersByTimeAsync(10_000);
    jest.useRealTimers();

    expect(await exitCodes()).toEqual([1]);
    expect(steps).toEqual(['not ready', 'A shutdown hook took more than 10000 ms.', 'log']);
  });
});
