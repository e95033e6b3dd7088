import fc, { type Arbitrary } from 'fast-check';
import { parseResponses, RawConnection } from '../support/raw-connection.js';
import { TestApp } from '../support/test-app.js';

const RUNS = Number(process.env['FUZZ_RUNS'] ?? 300);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_301_205);
const PATIENCE_A_RUN_MS = 50;

const PLENTY = '1000000000';
const ANIMAL = '{"name":"Rex","categoryId":7}';

/** Text with a meaning in HTTP. HEAD is left out, because the end of its responses depends on the request. */
const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '%',
  '?',
  '#',
  '//',
  '../',
  'Content-Length: 5\r\n',
  'Content-Length: 18446744073709551616\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'Host: store\r\n',
  'HTTP/1.1',
  'HTTP/0.9',
  'CONNECT ',
  'http://[::1]',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '\xff\xfe',
];

/** One change to a message at a place between 0 (start) and 1 (end): characters to remove there, and text to insert. */
interface Edit {
  readonly at: number;
  readonly dropped: number;
  readonly inserted: string;
}

const edits: Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    dropped: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
    inserted: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...TOKENS),
      fc.constantFrom(...TOKENS).map((token) => token.repeat(300)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
  }),
  { maxLength: 4 },
);

function edited(message: string, changes: readonly Edit[]): string {
  return changes.reduce((text, { at, dropped, inserted }) => {
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + inserted + text.slice(place + dropped);
  }, message);
}

describe(`Whatever bytes are sent, every response is a valid one (seed ${SEED})`, () => {
  let store: TestApp;
  let messages: string[];

  beforeAll(async () => {
    store = await TestApp.start({
      LOG_LEVEL: 'error',
      FREE_PER_MINUTE: PLENTY,
      BUSINESS_PER_MINUTE: PLENTY,
      BUSINESS_PER_DAY: PLENTY,
    });
    const common = `Host: store\r\nAuthorization: Bearer ${await store.key()}\r\n`;
    const post = `POST /v1/pets HTTP/1.1\r\n${common}Content-Type: application/json\r\n`;
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
    30_000 + RUNS * PATIENCE_A_RUN_MS,
  );
});
