import fc from 'fast-check';
import { parseResponses, RawConnection, type RawResponse } from '@animal-store/web/testing';
import { edited, edits } from '../support/broken-messages.js';
import { get, NO_CODINGS, withoutLength } from '../support/hostile-requests.js';
import { TestApp } from '../support/test-app.js';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 150);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_301_205);
const PATIENCE_A_RUN_MS = 50;

const PLENTY = '1000000000';
const ANIMAL = '{"name":"Rex","categoryId":7}';

describe(`Whatever bytes are sent, every response is a valid one (seed ${SEED})`, () => {
  let store: TestApp;
  let messages: string[];
  let key: string;
  let authorization: string;
  let post: string;

  beforeAll(async () => {
    store = await TestApp.start({
      LOG_LEVEL: 'error',
      FREE_PER_MINUTE: PLENTY,
      BUSINESS_PER_MINUTE: PLENTY,
      BUSINESS_PER_DAY: PLENTY,
    });
    key = await store.key();
    authorization = `Authorization: Bearer ${key}`;
    const common = `Host: store\r\n${authorization}\r\n`;
    post = `POST /v1/pets HTTP/1.1\r\n${common}Content-Type: application/json\r\n`;
    const chunked = `Transfer-Encoding: chunked\r\n\r\n10\r\n${ANIMAL.slice(0, 16)}\r\nd\r\n${ANIMAL.slice(16)}\r\n0\r\n\r\n`;
    const list = `GET /v1/pets?limit=2 HTTP/1.1\r\n${common}\r\n`;
    messages = [
      list,
      `${post}Content-Length: ${ANIMAL.length}\r\n\r\n${ANIMAL}`,
      `${post}${chunked}`,
      `${list}${list}`,
      `${post}Content-Length: ${ANIMAL.length}\r\n\r\n${ANIMAL}${list}`,
    ];
  });

  afterAll(() => store.stop());

  async function problemOf(text: string): Promise<string | null> {
    const connection = await RawConnection.open(store.port);
    connection.socket.end(text, 'latin1');
    await connection.untilClosed();
    const responses = parseResponses(connection.text);
    for (const { status, body } of responses) {
      if (!(status < 500)) return `status ${status}`;
      if (status < 400 || body === '') continue;
      const error = JSON.parse(body) as object;
      if (Object.keys(error).join() !== 'code,message,status') return `no Error object: ${body}`;
    }
    const starts = connection.text.split('HTTP/1.1 ').length - 1;
    return starts === responses.length ? null : `${starts} responses began, ${responses.length} are complete`;
  }

  /** One request, the statuses that its response may have, and whether the connection closes after it. */
  type Part = readonly [text: string, statuses: readonly number[], closes: boolean];

  /** Requests for a pipeline. What follows one that closes has another name, as it must not be served. */
  function parts(name: string): Part[] {
    const animal = `{"name":"${name}","categoryId":7}`;
    const addition = `${post}Content-Length: ${animal.length}\r\n\r\n${animal}`;
    return [
      [get('/v1/pets?limit=1', authorization), [200], false],
      [addition, [201], false],
      [get('/v1/pets', 'X-Padding: ' + 'x'.repeat(13_000)), [401], false],
      [get('/openapi.json'), [200], false],
      [get('/v1/pets', authorization, 'Connection: close'), [200], true],
      [get('/v1/pets', authorization, 'Expect: 100-continue'), [200], true],
      [get('/v1/pets', authorization, 'Connection: Upgrade', 'Upgrade: h2c'), [200], true],
      [`${addition.replace('HTTP/1.1', 'HTTP/1.0')}`, [201], true],
      ...NO_CODINGS.map((codings): Part => [withoutLength(key, addition, codings), [400], true]),
    ];
  }

  function problemOfPipeline(chosen: readonly Part[], responses: readonly RawResponse[]): string | null {
    for (const [index, { status, headers }] of responses.entries()) {
      const [, statuses, closes] = chosen[index]!;
      if (!statuses.includes(status)) return `status ${status} of request ${index + 1}`;
      if (closes !== (headers['connection'] === 'close')) return `response ${index + 1} closes: ${!closes}`;
    }
    return null;
  }

  it(
    `${RUNS} pipelines, in which nothing after a response that closes is served`,
    async () => {
      const [served, next] = [parts('Rex'), parts('Next')];
      const choices = fc.array(fc.nat({ max: served.length - 1 }), { minLength: 1, maxLength: 16 });
      const property = fc.asyncProperty(choices, async (indexes) => {
        const end = indexes.findIndex((index) => served[index]![2]) + 1 || indexes.length;
        const chosen = indexes.map((index, place) => (place < end ? served : next)[index]!);
        const connection = await RawConnection.open(store.port);
        connection.send(chosen.map(([text]) => text).join(''));
        const isClosing = chosen[end - 1]![2];
        const responses = isClosing ? await connection.untilClosed() : await connection.until(end);
        connection.close();
        const problem = problemOfPipeline(chosen, responses);
        if (problem !== null) throw new Error(`${problem}: requests ${indexes.join()}`);
        if (responses.length !== end)
          throw new Error(`${responses.length} responses: requests ${indexes.join()}`);
      });
      const { errorInstance } = await fc.check(property, { seed: SEED, numRuns: RUNS });
      if (errorInstance) throw errorInstance as Error;

      expect(store.logLines).toEqual([]);
      const smuggled = await store.database.query("SELECT id FROM pets WHERE name = 'Next'");
      expect(smuggled).toEqual([]);
    },
    180_000 + RUNS * PATIENCE_A_RUN_MS,
  );

  it(
    `${RUNS} broken messages`,
    async () => {
      const message = fc.nat({ max: messages.length - 1 }).map((index) => messages[index]!);
      const property = fc.asyncProperty(message, edits, async (whole, changes) => {
        const text = edited(whole, changes);
        const problem = await problemOf(text);
        if (problem === null) return;
        throw new Error(`${problem}: ${JSON.stringify(text).replace(/ask_live_\w+/g, '<API_KEY>')}`);
      });
      // `fc.assert` would print the API key.
      const { errorInstance } = await fc.check(property, { seed: SEED, numRuns: RUNS });
      if (errorInstance) throw errorInstance as Error;

      expect(store.logLines).toEqual([]);
      await store.send('GET', '/v1/pets', await store.key()).expect(200);
    },
    180_000 + RUNS * PATIENCE_A_RUN_MS,
  );
});
