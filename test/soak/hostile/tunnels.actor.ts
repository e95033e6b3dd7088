import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@animal-store/web/testing';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, untilResponses, bearer, closed, expectStatus, PATIENCE_MS } from './actor.js';

const CONNECT = 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n';
/** The first bytes of TLS, which a client sends when it assumes that the tunnel is open. */
const INSIDE = '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03';

/** For CONNECT, Node detaches the socket from its HTTP server. */
export const connect: Actor = {
  name: 'connect',
  about: 'requests a tunnel, and resets the connection or sends on',
  async act(target, random) {
    const connection = await RawConnection.open(target.port);
    const isLate = random.chance(0.3);
    connection.send(isLate ? head('GET /health/live') + '\r\n' + CONNECT : CONNECT);
    if (random.chance(0.3)) connection.send(INSIDE);
    if (random.chance(0.2)) {
      const responses = await closed(connection, PATIENCE_MS);
      expectStatus(responses.at(-1), [400, 404, 405, 429, 501]);
      return;
    }
    if (random.chance(0.5)) await delay(random.between(0, 20));
    connection.reset();
  },
};

export const upgrade: Actor = {
  name: 'upgrade',
  about: 'requests another protocol, and resets the connection or sends on',
  async act(target, random) {
    const protocol = random.pick(['websocket', 'h2c', 'TLS/1.0', random.bytes(3).replace(/[^!-~]/g, 'x')]);
    const headers = [`Upgrade: ${protocol}`, 'Connection: Upgrade', 'HTTP2-Settings: AAMAAABkAAQAAP__'];
    const connection = await RawConnection.open(target.port);
    const line = head(random.pick(['GET /v1/pets', 'OPTIONS *', 'GET /docs']), bearer(target), ...headers);
    connection.send(`${line}\r\n`);
    if (random.chance(0.3)) {
      await untilResponses(connection, 1);
      connection.close();
      return;
    }
    if (random.chance(0.5)) connection.send(INSIDE);
    if (random.chance(0.5)) await delay(random.between(0, 20));
    connection.reset();
  },
};
