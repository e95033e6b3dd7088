import { RawConnection } from '@animal-store/web/testing';
import { FirstServer } from '../support/first-server.js';
import { addition, bearer, get } from '../support/hostile-requests.js';
import { Random } from '../support/random.js';
import { within } from '../support/server-process.js';

const CONNECTIONS = 100;
const REQUESTS = 80;
/** Of the connections, one of so many is aborted. */
const ONE_OF = 4;
/** Less than the responses of a connection have. */
const MAX_BYTES = 30_000;
const HANGS_AFTER_MS = 60_000;
const LEAST_CHECKED = 5_000;
const SEED = 7;

/** A request, and what its response must have beside the id of the request. */
interface SentRequest {
  readonly id: string;
  readonly text: string;
  readonly status: number;
  readonly body: RegExp;
}

jest.setTimeout(120_000);

/** Many clients who pipeline, of whom some go away in between. */
describe('Pipelined requests on 100 connections', () => {
  let first: FirstServer;
  let animals: string[];
  let checked = 0;
  const wrong: string[] = [];

  beforeAll(async () => {
    // As many requests may wait for others, and here nearly all do.
    first = await FirstServer.start({ MAX_CONNECTIONS: `${CONNECTIONS * REQUESTS}` });
    const connection = await RawConnection.open(first.process.port);
    const names = Array.from({ length: 50 }, (_, index) => `Rex ${index}`);
    connection.send(names.map((name) => addition(first.key, name).join('')).join(''));
    const added = await connection.until(names.length);
    connection.close();
    animals = added.map(({ body }) => body);
  });

  afterAll(() => first.remove());

  function requestOf(id: string, random: Random): SentRequest {
    const header = `X-Request-Id: ${id}`;
    const key = bearer(first.key);
    switch (random.between(0, 4)) {
      case 0: {
        const animal = random.pick(animals);
        const path = `/v1/pets/${(JSON.parse(animal) as { id: number }).id}`;
        return { id, text: get(path, header, key), status: 200, body: exactly(animal) };
      }
      case 1:
        return {
          id,
          text: addition(first.key, id, header).join(''),
          status: 201,
          body: new RegExp(`"name":"${id}"`),
        };
      case 2:
        return { id, text: get('/v1/pets?limit=2', header, key), status: 200, body: /^\[.*\]$/ };
      case 3:
        return { id, text: get(`/v1/${id}`, header, key), status: 404, body: /"code":"route_not_found"/ };
      default:
        return { id, text: get('/health/live', header), status: 200, body: /^\{/ };
    }
  }

  /** Sends the requests in a few writes, and checks each response. Some connections are reset after some bytes. */
  async function converse(number: number): Promise<void> {
    const random = new Random(SEED, `${number}`);
    const sent = Array.from({ length: REQUESTS }, (_, index) => requestOf(`c${number}-${index}`, random));
    const connection = await RawConnection.open(first.process.port);
    for (let from = 0; from < REQUESTS;) {
      const to = from + random.between(1, REQUESTS);
      const texts = sent.slice(from, to).map(({ text }) => text);
      connection.send(texts.join(''));
      from = to;
      await new Promise(setImmediate);
    }
    if (number % ONE_OF === 0) {
      const bytes = random.between(0, MAX_BYTES);
      await within(HANGS_AFTER_MS, () => connection.text.length >= bytes);
      connection.reset();
    } else {
      // It half-closes, so the server closes after the last response.
      connection.socket.end();
      await within(HANGS_AFTER_MS, () => connection.socket.closed);
      if (connection.responses.length !== REQUESTS) wrong.push(`c${number}: ${connection.responses.length}`);
    }
    connection.responses.forEach(({ status, headers, body }, index) => {
      const { id, status: expected, body: shape } = sent[index]!;
      checked++;
      if (headers['x-request-id'] === id && status === expected && shape.test(body)) return;
      wrong.push(`${id} got ${status} ${headers['x-request-id']} ${body}`);
    });
  }

  it('get each its own response, in order, and none hangs', async () => {
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => converse(number)));

    expect(wrong).toEqual([]);
    expect(checked).toBeGreaterThanOrEqual(LEAST_CHECKED);
  });

  it('leave no open request', async () => {
    await first.process.get('/health/live');
    const { code, stdout, stderr } = await first.process.stop('SIGTERM');

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('shutting down. Running requests: 0.');
  });
});

function exactly(text: string): RegExp {
  return new RegExp(`^${text.replaceAll(/[{}[\]."]/g, String.raw`\$&`)}$`);
}
