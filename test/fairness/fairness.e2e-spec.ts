import { once } from 'node:events';
import { RawConnection } from '@animal-store/web/testing';
import { FirstServer } from '../support/first-server.js';
import { bearer, get } from '../support/hostile-requests.js';

/** In one write. */
const REQUESTS = 999;
const MEASURED = 200;
const ROUNDS = 5;
const MAX_TIMES = 3;
/** Another program may take the processor in one of them. */
const ATTEMPTS = 3;

jest.setTimeout(120_000);

describe('An honest client', () => {
  let first: FirstServer;
  let isOver: boolean;

  beforeAll(async () => {
    first = await FirstServer.start();
  });

  afterAll(() => first.remove());

  /** Sends as many requests as a connection may have open, again and again, until the end. */
  async function overload(text: string, last: string): Promise<void> {
    while (!isOver) {
      const { socket } = await RawConnection.open(first.process.port);
      // Reading the responses here would take the time of the server.
      socket.removeAllListeners('data').resume();
      socket.write(text.repeat(REQUESTS - 1) + last);
      const closed = once(socket, 'close');
      if (isOver) socket.destroy();
      await closed;
    }
  }

  /** How long each of some requests took, one after the other. */
  async function send(): Promise<number[]> {
    const durationsMs: number[] = [];
    for (let count = 0; count < MEASURED; count++) {
      const startedAtMs = performance.now();
      await (await first.process.get('/v1/pets', first.key)).text();
      durationsMs.push(performance.now() - startedAtMs);
    }
    return durationsMs;
  }

  async function slowdown(text: string, last: string): Promise<number> {
    const alone: number[] = [];
    const beside: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      alone.push(...(await send()));
      isOver = false;
      const overloading = overload(text, last);
      beside.push(...(await send()));
      isOver = true;
      await overloading;
    }
    return median(beside) / median(alone);
  }

  it.each([
    ['an unknown path without a key', '/x', false],
    ['a page of the documentation', '/docs', false],
    ['a cached list', '/v1/pets', true],
  ])(
    'waits at most three times as long beside a connection that requests %s 999 times',
    async (_, path, hasKey) => {
      const headers = hasKey ? [bearer(first.key)] : [];
      const slowdowns: number[] = [];
      while (slowdowns.length < ATTEMPTS && !slowdowns.some((one) => one <= MAX_TIMES)) {
        slowdowns.push(await slowdown(get(path, ...headers), get(path, ...headers, 'Connection: close')));
      }

      expect(Math.min(...slowdowns)).toBeLessThanOrEqual(MAX_TIMES);
    },
  );
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
