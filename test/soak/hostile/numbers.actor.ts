import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { RawConnection } from '@animal-store/web/testing';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, CutShort, untilResponses, expectStatus, PATIENCE_MS, until } from './actor.js';

/** The number of connections above the maximum of the service. */
const TOO_MANY = 300;
const DELAY_MS = 5_000;

export const flood: Actor = {
  name: 'flood',
  about: `opens ${TOO_MANY} connections more than MAX_CONNECTIONS at once, and closes them`,
  async act(target) {
    const connections: RawConnection[] = [];
    while (connections.length < target.maxConnections + TOO_MANY) {
      const more = Array.from({ length: 100 }, () => RawConnection.open(target.port));
      connections.push(...(await Promise.all(more)));
    }
    const dropped = () => connections.filter(({ socket }) => socket.closed).length;
    const isBounded = await until(PATIENCE_MS, () => dropped() >= TOO_MANY);
    for (const connection of connections) connection.close();
    if (!isBounded) throw new Error(`${dropped()} of ${connections.length} connections were dropped`);
    // The other clients need time without a flood.
    await delay(DELAY_MS);
  },
};

/** More than Node lets wait to be accepted without further settings, and fewer than the service accepts. */
const BURST = 1_500;

export const burst: Actor = {
  name: 'burst',
  about: `opens ${BURST} connections at the same moment, each of which gets its response`,
  async act(target) {
    const resets: string[] = [];
    const connected = Array.from({ length: BURST }, async () => {
      const socket = connect(target.port, '127.0.0.1');
      socket.on('error', ({ message }) => resets.push(message)).once('data', () => socket.destroy());
      socket.write(`${head('GET /health/live')}\r\n`);
      await new Promise((closed) => socket.on('close', closed));
    });
    await Promise.all(connected);
    const count = resets.length;
    if (count > 0) throw new CutShort(`${count} connections failed: ${resets[0]}`, count);
    await delay(DELAY_MS);
  },
};

const PREFLIGHT_ADDRESS = '127.0.0.67';
/** Two rounds a minute send more preflights than an address without a key may send requests. */
const PREFLIGHTS = 40;

export const preflights: Actor = {
  name: 'preflights',
  about: 'sends preflights for one URL after the other, more than an address may call',
  async act(target, random) {
    const connection = await RawConnection.open(target.port, PREFLIGHT_ADDRESS);
    for (let sent = 0; sent < PREFLIGHTS; sent++) {
      const path = `/v1/pets/${random.between(1, 1_000_000)}`;
      const preflight = [`Origin: ${target.origin}`, 'Access-Control-Request-Method: GET'];
      connection.send(`${head(`OPTIONS ${path}`, ...preflight)}\r\n`);
    }
    for (const response of await untilResponses(connection, PREFLIGHTS)) expectStatus(response, [204]);
    connection.close();
  },
};
