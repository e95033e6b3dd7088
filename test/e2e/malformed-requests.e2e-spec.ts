import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { type RawResponse, exchange, RawConnection } from '@animal-store/web/testing';
import { TestApp } from '../support/test-app.js';

const POST = 'POST /v1/pets HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n';
const ANIMAL = '{"name":"Rex","categoryId":7}';

/** The code of each status that such a request gets. */
const CODES: Record<number, string> = {
  400: 'bad_request',
  404: 'route_not_found',
  413: 'payload_too_large',
  431: 'headers_too_large',
};

function inChunks(...pieces: string[]): string {
  const chunks = pieces.filter(Boolean).map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`);
  return `Transfer-Encoding: chunked\r\n\r\n${chunks.join('')}0\r\n\r\n`;
}

describe('Malformed requests', () => {
  let store: TestApp;
  let port: number;
  let key: string;
  let authorization: string;

  beforeAll(async () => {
    store = await TestApp.start({ FREE_PER_MINUTE: '600' });
    port = store.port;
    key = await store.key();
    authorization = `Authorization: Bearer ${key}\r\n`;
  });

  afterAll(() => store.stop());

  function expectError(response: RawResponse, status: number): void {
    const error = JSON.parse(response.body) as object;
    expect(Object.keys(error)).toEqual(['code', 'message', 'status']);
    expect([response.status, error]).toMatchObject([status, { status, code: CODES[status] }]);
  }

  describe('that are not HTTP get a response on the socket', () => {
    const headerBomb = `X-Bomb: ${'a'.repeat(20_000)}\r\n`;

    it.each([
      ['a request line of one word', 'GARBAGE\r\n\r\n', 400],
      ['an unknown method', 'BREW /v1/pets HTTP/1.1\r\nHost: store\r\n\r\n', 400],
      ['HTTP/2 in plain text', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400],
      ['a TLS handshake', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
      ['lines that end in LF without CR', 'GET /v1/pets HTTP/1.1\nHost: store\n\n', 400],
      ['a space before the colon', 'GET /v1/pets HTTP/1.1\r\nHost : store\r\n\r\n', 400],
      ['a tunnel', 'CONNECT store:443 HTTP/1.1\r\nHost: store\r\n\r\n', 400],
      [
        'Content-Length and chunked coding',
        `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n`,
        400,
      ],
      ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`, 400],
      ['a header of 20 kB', `GET /v1/pets HTTP/1.1\r\nHost: store\r\n${headerBomb}\r\n`, 431],
      ['a path of 20 kB', `GET /v1/${'a'.repeat(20_000)} HTTP/1.1\r\nHost: store\r\n\r\n`, 431],
      ['a million percent signs', `GET /v1/${'%'.repeat(1_000_000)} HTTP/1.1\r\n\r\n`, 431],
    ])('%s', async (_, text, status) => {
      const responses = await exchange(port, text);

      expect(responses).toHaveLength(1);
      expectError(responses[0]!, status);
      expect(responses[0]!.headers).toEqual({
        'x-request-id': expect.stringMatching(/^[0-9a-f]{16}-[0-9a-z]+$/) as string,
        'x-content-type-options': 'nosniff',
        'x-ratelimit-limit': '600',
        'x-ratelimit-remaining': expect.stringMatching(/^5\d\d$/) as string,
        'x-ratelimit-reset': String(store.clock.now() / 1_000 + 60),
        'ratelimit-policy': '"minute";q=600;w=60',
        ratelimit: expect.stringMatching(/^"minute";r=5\d\d;t=60$/) as string,
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'content-length': String(responses[0]!.body.length),
        date: expect.stringMatching(/ GMT$/) as string,
        connection: 'close',
        link: `</docs/errors#${CODES[status]}>; rel="help"`,
      });
    });
  });

  it('are logged, one line each, under the request id of their response', async () => {
    const logged = store.logLines.length;
    const [response] = await exchange(port, 'GARBAGE\r\n\r\n');

    expect(store.logLines.slice(logged).map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 'info',
        time: store.clock.now(),
        requestId: response!.headers['x-request-id'],
        keyId: null,
        method: null,
        route: 'unreadable',
        status: 400,
        code: 'bad_request',
        durationMs: expect.any(Number) as number,
      },
    ]);
  });

  describe('with an incomplete body get a response like any request, with its limits', () => {
    const chunked = 'Transfer-Encoding: chunked\r\n\r\n';

    it.each([
      ['a chunk without a size', `${chunked}zz\r\n{}\r\n0\r\n\r\n`, 400],
      ['a chunk longer than its size', `${chunked}2\r\n{}XX\r\n0\r\n\r\n`, 400],
      ['an unknown transfer coding', 'Transfer-Encoding: bananas\r\n\r\n2\r\n{}\r\n0\r\n\r\n', 400],
      ['a chunk extension of 20 kB', `${chunked}2;${'a'.repeat(20_000)}\r\n{}\r\n`, 413],
    ])('%s', async (_, body, status) => {
      const responses = await exchange(port, `${POST}${authorization}${body}`);

      expect(responses).toHaveLength(1);
      expectError(responses[0]!, status);
      expect(responses[0]!.headers).toMatchObject({
        'x-ratelimit-limit': '1000',
        'x-request-id': expect.any(String) as string,
        connection: 'close',
      });
    });

    it('even when the key has not been looked up yet', async () => {
      const fresh = `Authorization: Bearer ${await store.key()}\r\n`;
      const logged = store.logLines.length;
      const responses = await exchange(port, `${POST}${fresh}${chunked}zz\r\n`);

      expect(responses.map(({ status }) => status)).toEqual([400]);
      const lines = store.logLines.slice(logged).map((line) => JSON.parse(line) as { level: string });
      expect(lines.map(({ level }) => level)).toEqual(['info']);
    });

    it('when the sender half-closes the connection', async () => {
      const connection = await RawConnection.open(port);
      connection.socket.end(`${POST}${authorization}Content-Length: 29\r\n\r\n{"name"`, 'latin1');
      const responses = await connection.untilClosed();

      expect(responses.map(({ status }) => status)).toEqual([400]);
    });

    it('and get no second response when the first was sent before the body became invalid', async () => {
      const connection = await RawConnection.open(port);
      connection.send(`${POST}${chunked}`);
      await connection.until(1);
      const responses = await connection.send('zz\r\n').untilClosed();

      expect(responses.map(({ status }) => status)).toEqual([401]);
    });
  });

  describe('on a connection with others', () => {
    const list = 'GET /v1/pets HTTP/1.1\r\nHost: store\r\n';

    it('get their response after the earlier requests', async () => {
      const animal = `${POST}${authorization}Content-Length: 29\r\n\r\n${ANIMAL}`;
      const responses = await exchange(
        port,
        `${list}${authorization}\r\n${animal}${list}\r\nGARBAGE\r\n\r\n`,
      );

      expect(responses.map(({ status }) => status)).toEqual([200, 201, 401, 400]);
      expect(responses.map(({ headers }) => headers['connection'])).toEqual([
        'keep-alive',
        'keep-alive',
        'keep-alive',
        'close',
      ]);
    });

    it('are handled in the order in which they came, whatever their length and number of pieces', async () => {
      const long = ' '.repeat(16_000) + ANIMAL;
      const forms = [ANIMAL, long].flatMap((body) => [
        `Content-Length: ${body.length}\r\n\r\n${body}`,
        inChunks(body.slice(0, -9), body.slice(-9)),
      ]);
      const pairs = forms.flatMap((first) => forms.map((second) => [first, second])).flat();
      const connection = await RawConnection.open(port);
      const text = pairs.map((form) => `${POST}${authorization}${form}`).join('');
      const responses = await connection.send(text).until(pairs.length);

      const ids = responses.map(({ body }) => (JSON.parse(body) as { id: number }).id);
      expect(ids).toEqual(ids.map((_, index) => ids[0]! + index));
      connection.close();
    });

    it('are handled in that order when one has a body and the next has none', async () => {
      const { body: animal } = await store.send('POST', '/v1/pets', key).send(JSON.parse(ANIMAL) as object);
      const order = `{"petId":${(animal as { id: number }).id}}`;
      const orders = 'POST /v1/store/orders';
      const rest = ` HTTP/1.1\r\nHost: store\r\nContent-Type: application/json\r\n${authorization}`;
      const place = `${orders}${rest}Content-Length: ${order.length}\r\n\r\n${order}`;
      const cancel = `${orders}/1/cancel${rest}Content-Length: 0\r\n\r\n`;
      const responses = await exchange(port, `${list}\r\n${place}${cancel}${place}GARBAGE\r\n\r\n`);

      expect(responses.map(({ status }) => status)).toEqual([401, 201, 200, 201, 400]);
    });

    it('are read to the end on a connection that stays open', async () => {
      const connection = await RawConnection.open(port);
      const arrived = once(store.app.getHttpServer(), 'request') as Promise<[IncomingMessage]>;
      connection.send(`${POST}${authorization}Content-Length: 29\r\n\r\n${ANIMAL}`);
      const [request] = await arrived;
      await Promise.all([connection.until(1), finished(request)]);

      expect(request.readableEnded).toBe(true);
      connection.close();
    });
  });

  describe('under rules of HTTP that the parser of Node does not check', () => {
    async function until(text: string): Promise<RawResponse> {
      const connection = await RawConnection.open(port);
      const [response] = await connection.send(text).until(1);
      connection.close();
      return response!;
    }

    it.each([
      ['no Host', 'GET /v1/pets HTTP/1.1\r\n'],
      ['two Content-Types', `${POST}content-type: text/plain\r\n`],
      ['two Hosts', 'GET /v1/pets HTTP/1.1\r\nHost: store\r\nhost: shop\r\n'],
    ])('400 bad_request: %s', async (_, head) => {
      const response = await until(`${head}${authorization}\r\n`);

      expectError(response, 400);
      expect(response.headers).toMatchObject({
        'x-request-id': expect.any(String) as string,
        'x-ratelimit-limit': '600',
        connection: 'close',
      });
    });

    it('400 bad_request: a body with another transfer coding besides chunked', async () => {
      const response = await until(
        `${POST}${authorization}Transfer-Encoding: gzip, chunked\r\n\r\n1d\r\n${ANIMAL}\r\n0\r\n\r\n`,
      );

      expectError(response, 400);
    });

    it.each([
      'http://[/v1/pets',
      'http://store:x/v1/pets',
      'http://user@[/v1',
      '//user@[:x/v1#',
      '/v1/pets#[',
    ])('400 bad_request, and nothing is printed: the target %s', async (target) => {
      const warned = jest.spyOn(process, 'emitWarning').mockImplementation();
      const response = await until(`GET ${target} HTTP/1.1\r\nHost: store\r\n${authorization}\r\n`);
      const warnings = warned.mock.calls.length;
      warned.mockRestore();

      expectError(response, 400);
      expect(warnings).toBe(0);
    });

    it('431 headers_too_large: more than a hundred headers', async () => {
      const hundred = `Host: store\r\n${authorization}${'a:b\r\n'.repeat(98)}`;
      const fit = await until(`GET /v1/pets HTTP/1.1\r\n${hundred}\r\n`);
      const more = await until(`GET /v1/pets HTTP/1.1\r\n${hundred}a:b\r\n\r\n`);
      const hidden = await until(
        `GET /v1/pets HTTP/1.1\r\n${hundred}${'a:b\r\n'.repeat(1_000)}${authorization}\r\n`,
      );

      expect(fit.status).toBe(200);
      expectError(more, 431);
      expectError(hidden, 431);
    });

    it('200: HTTP/1.0 without a Host', async () => {
      const [response] = await exchange(port, `GET /v1/pets HTTP/1.0\r\n${authorization}\r\n`);

      expect(response!.status).toBe(200);
    });

    it('200: a target with scheme and host, as a proxy sends it', async () => {
      const response = await until(
        `GET http://store/v1/pets?limit=1 HTTP/1.1\r\nHost: store\r\n${authorization}\r\n`,
      );

      expect(response.status).toBe(200);
    });

    it.each(['OPTIONS *', 'GET *', 'GET //v1/pets', 'GET /', 'GET /v1//pets', 'GET http://store'])(
      '404 route_not_found: %s',
      async (line) => {
        const response = await until(`${line} HTTP/1.1\r\nHost: store\r\n${authorization}\r\n`);

        expectError(response, 404);
      },
    );

    it('400 bad_request: a path of ten thousand percent signs, under the limits of its caller', async () => {
      const response = await until(
        `GET /v1/pets/${'%'.repeat(10_000)} HTTP/1.1\r\nHost: store\r\n${authorization}\r\n`,
      );

      expectError(response, 400);
      expect(response.headers['x-ratelimit-limit']).toBe('1000');
    });

    it('201: an unknown Expect header is ignored', async () => {
      const response = await until(
        `${POST}${authorization}Expect: bananas\r\nContent-Length: 29\r\n\r\n${ANIMAL}`,
      );

      expect(response.status).toBe(201);
    });

    it.each([
      [201, ANIMAL],
      [400, '{"name":"Rex","categoryId":7,"age":3}'],
    ])('%d for a body in two pieces, cut at any byte, and in chunks: %s', async (status, body) => {
      const connection = await RawConnection.open(port);
      connection.socket.setNoDelay(true);
      const head = `${POST}${authorization}`;
      for (let cut = 0; cut <= body.length; cut++) {
        const [before, after] = [body.slice(0, cut), body.slice(cut)];
        connection.send(`${head}Content-Length: ${body.length}\r\n\r\n${before}`);
        await store.send('GET', '/health/live', null);
        await connection.send(after).until(2 * cut + 1);
        await connection.send(`${head}${inChunks(before, after)}`).until(2 * cut + 2);
      }

      expect(new Set(connection.responses.map((response) => response.status))).toEqual(new Set([status]));
      connection.close();
    });

    it('100 only when the body will be read: a sender with Expect: 100-continue gets a refusal at once', async () => {
      const waiting = `${POST}Expect: 100-continue\r\n`;
      const connection = await RawConnection.open(port);
      await connection.send(`${waiting}${authorization}Content-Length: 29\r\n\r\n`).until(1);
      const wanted = await connection.send(ANIMAL).until(2);
      const tooLarge = await exchange(port, `${waiting}${authorization}Content-Length: 999999\r\n\r\n`);
      const keyless = await exchange(port, `${waiting}Content-Length: 29\r\n\r\n`);

      expect(wanted.map(({ status }) => status)).toEqual([100, 201]);
      expect(tooLarge.map(({ status }) => status)).toEqual([413]);
      expect(keyless.map(({ status }) => status)).toEqual([401]);
      connection.close();
    });
  });

  it.each([
    '/v1/nothing',
    '/v1/pets/%ff',
    '/nothing',
    '/%ff',
    '/docs/nothing',
    '/docs/%00',
    '/docs/..%2f..%2fpackage.json',
    '/health/nothing',
  ])('no response reveals the framework: GET %s', async (path) => {
    const { text, headers, body } = await store.send('GET', path, await store.key());

    expect(Object.keys(body as object)).toEqual(['code', 'message', 'status']);
    expect(`${text}${JSON.stringify(headers)}`).not.toMatch(/express|nest|node|\bat \/|stack|sqlite/i);
  });
});
