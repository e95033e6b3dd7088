import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@animal-store/web/testing';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, addition, closedUnread, type Target } from './actor.js';

/** Requests whose responses fill all buffers between the two ends, so later responses wait. */
const LARGE = `${head('GET /openapi.json')}\r\n`.repeat(60);
const SMALL = 'GET /x HTTP/1.1\r\n\r\n';

/** Sends requests on a connection that is never read. */
async function unread(target: Target, ...texts: readonly string[]): Promise<RawConnection> {
  const connection = await RawConnection.open(target.port);
  connection.socket.pause();
  for (const text of texts) connection.send(text);
  return connection;
}

export const pipelining: Actor = {
  name: 'pipelining',
  about: 'sends many requests, reads no response, and resets the connection',
  async act(target, random) {
    const connection = await unread(target, LARGE, SMALL.repeat(random.between(10, 2_400)));
    await delay(random.between(20, 400));
    connection.reset();
  },
};

const AFTERWARDS: readonly ((target: Target) => string)[] = [
  () => '',
  () => 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  () => `${head('GET /v1/pets', 'Upgrade: websocket', 'Connection: Upgrade')}\r\n`,
  () => 'no request at all\r\n\r\n',
  (target) => addition(target).slice(0, -5),
  (target) => addition(target, 'Foundling', 'Expect: 100-continue').slice(0, -20),
];

export const stalled: Actor = {
  name: 'stalled',
  about: 'sends requests, reads no response and does not close: the service must close the connection',
  async act(target, random) {
    const connections = await Promise.all(
      AFTERWARDS.map((last) =>
        unread(target, LARGE.repeat(2), SMALL.repeat(random.between(0, 20)), last(target)),
      ),
    );
    try {
      await closedUnread(target, connections, target.stalledMs);
    } finally {
      for (const connection of connections) connection.close();
    }
  },
};

/**
 * Their requests stay below the maximum of all connections together, beside those of `stalled` and `pipelining`. Above
 * it the service would close every connection with pipelined requests, and the other actors would find out little.
 */
const SILENT = 30;
const FILES = 32;
/** More files than the service needs for itself: databases, pipes, timers. */
const SPARE_FILES = 100;

export const unreadAssets: Actor = {
  name: 'unread-assets',
  about: `${SILENT} connections with ${FILES} requests each for the largest file of the explorer, never read`,
  async act(target, random) {
    const script = target.largestAsset;
    const connections = await Promise.all(
      Array.from({ length: SILENT }, () => unread(target, `${head(`GET ${script}`)}\r\n`.repeat(FILES))),
    );
    await delay(random.between(500, 1_500));
    const files = await target.openFiles();
    for (const connection of connections) connection.reset();
    if (files > SPARE_FILES) throw new Error(`The service has ${files} open files`);
    await delay(1_000);
  },
};
