import fc from 'fast-check';
import { RawConnection } from '@animal-store/web/testing';
import { edited, edits } from '../../support/broken-messages.js';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, addition, bearer, closed, expectStatus, PATIENCE_MS, type Target } from './actor.js';

/** Sends `text` and resolves with the responses when the service has closed the connection. It must do so soon. */
async function exchange(target: Target, text: string, endsItself: boolean) {
  const connection = await RawConnection.open(target.port);
  if (endsItself) connection.socket.end(text, 'latin1');
  else connection.send(text);
  return closed(connection, target.stalledMs);
}

export const malformed: Actor = {
  name: 'malformed',
  about: 'sends lines that are no lines of HTTP, and targets that are no URLs',
  strands: 8,
  async act(target, random) {
    const messages = [addition(target), `${head('GET /v1/pets?limit=2', bearer(target))}\r\n`];
    if (random.chance(0.8)) {
      const [changes] = fc.sample(edits, { numRuns: 1, seed: random.between(0, 2 ** 31 - 1) });
      await exchange(target, edited(random.pick(messages), changes!), random.chance(0.7));
      return;
    }
    // The service must not log or return any part of such a target, least of all a key.
    const open = random.pick([
      'http://[',
      'http://[::1',
      '//[',
      '/v1/pets[',
      'http://a:99999/',
      'http://[x]/',
    ]);
    const [response] = await exchange(
      target,
      `${head(`GET ${open}${target.key}`, 'Connection: close')}\r\n`,
      false,
    );
    expectStatus(response, [400, 401, 404, 429]);
  },
};

/** Node drops header lines above a maximum number, whatever they contain. */
export const headerFlood: Actor = {
  name: 'header-flood',
  about: 'hides a header after more lines than a server counts',
  strands: 2,
  async act(target, random) {
    const lines = 'a:\r\n'.repeat(random.between(1_050, 2_500));
    const hidden = random.pick([
      'Authorization: Bearer other',
      'Host: other',
      'Idempotency-Key: other',
      'Transfer-Encoding: chunked',
    ]);
    const flood = `${head('GET /v1/pets', bearer(target), 'Connection: close')}${lines}${hidden}\r\n\r\n`;
    const [response] = await exchange(target, flood, false);
    expectStatus(response, [429, 431]);
  },
};

const NO_CHUNKS = [
  'zz\r\nabc\r\n0\r\n\r\n',
  '-5\r\nabcde\r\n0\r\n\r\n',
  'ffffffffffffffffff\r\nabc',
  '5\r\nabcdefgh\r\n0\r\n\r\n',
  '5 \r\nabcde\r\n0\r\n\r\n',
  `5;${'x'.repeat(20_000)}\r\nabcde\r\n0\r\n\r\n`,
  '5\nabcde\n0\n\n',
  '\r\n\r\n\r\n',
];

export const badChunking: Actor = {
  name: 'bad-chunking',
  about: 'sends chunks that are none, and transfer encodings that nobody knows',
  strands: 4,
  async act(target, random) {
    const json = 'Content-Type: application/json';
    const begin = (coding: string) =>
      `${head('POST /v1/pets', bearer(target), json, 'Connection: close', `Transfer-Encoding: ${coding}`)}\r\n`;
    if (random.chance(0.7)) {
      const [response] = await exchange(
        target,
        begin('chunked') + random.pick(NO_CHUNKS),
        random.chance(0.3),
      );
      expectStatus(response, [400, 408, 413, 429]);
      return;
    }
    const body = '{"name":"Foundling","categoryId":7}';
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    const coding = random.pick(['gzip, chunked', 'deflate,chunked', 'chunked, chunked', 'identity', 'x']);
    const [response] = await exchange(target, begin(coding) + chunk, false);
    expectStatus(response, [400, 415, 429, 501]);
  },
};

const PIECE = 'a'.repeat(16_384);
const PIECES_MS = 5;

export const endlessBody: Actor = {
  name: 'endless-body',
  about: 'sends bodies that are far too large, announced or chunked, and does not stop',
  async act(target, random) {
    const isChunked = random.chance(0.5);
    const length = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 1000000000000';
    const key = random.chance(0.8) ? bearer(target) : 'X-Nobody: 1';
    const connection = await RawConnection.open(target.port);
    connection.send(`${head('POST /v1/pets', key, 'Content-Type: application/json', length)}\r\n`);
    const sending = setInterval(() => {
      if (connection.socket.writableNeedDrain) return;
      connection.send(isChunked ? `4000\r\n${PIECE}\r\n` : PIECE);
    }, PIECES_MS);
    try {
      const responses = await closed(connection, target.stalledMs);
      if (responses.length > 0) expectStatus(responses[0], [401, 413, 429]);
    } finally {
      clearInterval(sending);
      connection.close();
    }
  },
};

export const expectation: Actor = {
  name: 'expect',
  about: 'expects 100, and sends its body at once, late, by halves or not at all',
  strands: 4,
  async act(target, random) {
    const expected = random.pick(['100-continue', '100-Continue', '200-ok', '']);
    const text = addition(target, 'Foundling', `Expect: ${expected}`, 'Connection: close');
    const bodyAt = text.indexOf('\r\n\r\n') + 4;
    const cutAt = random.pick([bodyAt, bodyAt + 10, text.length]);
    const connection = await RawConnection.open(target.port);
    connection.send(text.slice(0, bodyAt));
    if (random.chance(0.2)) {
      connection.reset();
      return;
    }
    connection.send(text.slice(bodyAt, cutAt));
    const [response] = await closed(connection, target.stalledMs + PATIENCE_MS);
    expectStatus(response, cutAt === text.length ? [201] : [408, 429]);
  },
};
