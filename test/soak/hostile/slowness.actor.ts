import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@animal-store/web/testing';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, addition, untilResponses, bearer, closed, expectStatus, type Target } from './actor.js';

const PIECE_EVERY_MS = 40;
const MANY = 20;
const LARGE_RESPONSES = 40;

export const slowReader: Actor = {
  name: 'slow-reader',
  about: 'reads large responses a little at a time, completely or not',
  strands: 2,
  async act(target, random) {
    const connection = await RawConnection.open(target.port);
    const { socket } = connection;
    socket.pause();
    connection.send(`${head('GET /openapi.json')}\r\n`.repeat(LARGE_RESPONSES));
    for (let pauses = random.between(5, 40); pauses > 0; pauses--) {
      socket.resume();
      await delay(random.between(1, 3));
      socket.pause();
      await delay(random.between(10, 60));
    }
    if (random.chance(0.5)) {
      connection.reset();
      return;
    }
    socket.resume();
    const responses = await untilResponses(connection, LARGE_RESPONSES);
    if (responses.some(({ body }) => body !== responses[0]!.body)) throw new Error('Responses differ');
    connection.close();
  },
};

/** Sends a byte from time to time until the service closes the connection. */
async function trickle(target: Target, begin: string): Promise<void> {
  const connection = await RawConnection.open(target.port);
  connection.send(begin);
  const sending = setInterval(() => connection.send('x'), PIECE_EVERY_MS);
  try {
    const [response] = await closed(connection, target.stalledMs);
    // A byte that arrives after the close makes TCP reset the connection, which can lose the response.
    if (response) expectStatus(response, [408, 429]);
  } finally {
    clearInterval(sending);
    connection.close();
  }
}

export const slowSender: Actor = {
  name: 'slow-sender',
  about: 'sends heads and bodies a byte at a time, without end',
  async act(target, random) {
    const json = 'Content-Type: application/json';
    const post = `${head('POST /v1/pets', bearer(target), json, 'Content-Length: 10000')}\r\n{"name":"`;
    const senders = Array.from({ length: MANY }, () =>
      trickle(target, random.chance(0.5) ? head('GET /v1/pets') : post),
    );
    await Promise.all(senders);
  },
};

export const silent: Actor = {
  name: 'silent',
  about: 'opens connections and says nothing, or half of something: the service has to end them',
  async act(target, random) {
    const whole = addition(target);
    const connections = await Promise.all(
      Array.from({ length: MANY }, async (_, index) => {
        const connection = await RawConnection.open(target.port);
        return index % 2 === 0
          ? connection
          : connection.send(whole.slice(0, random.between(1, whole.length - 1)));
      }),
    );
    await Promise.all(connections.map((connection) => closed(connection, target.stalledMs)));
  },
};

export const halfClose: Actor = {
  name: 'half-close',
  about: 'closes its own side after a request, or in the middle of it, and reads',
  strands: 4,
  async act(target, random) {
    const connection = await RawConnection.open(target.port);
    const whole = random.chance(0.5) ? addition(target) : `${head('GET /v1/nothing')}\r\n`;
    const isWhole = random.chance(0.7);
    connection.socket.end(isWhole ? whole : whole.slice(0, random.between(1, whole.length - 1)), 'latin1');
    const responses = await closed(connection, target.stalledMs);
    if (isWhole) expectStatus(responses[0], [201, 401, 404, 429]);
    else if (responses.some(({ status }) => status < 400)) throw new Error('Half a request was accepted');
  },
};
