import { generateApiKey } from '@animal-store/api-keys';
import { RawConnection } from '@animal-store/web/testing';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, untilResponses, expectStatus } from './actor.js';

/** The address that guesses keys and is soon banned. New customers use the same address. */
export const GUESSING_ADDRESS = '127.0.0.66';
const GUESSES = 60;

export const guessing: Actor = {
  name: 'guessing',
  about: 'guesses keys from one address, banned or not',
  async act(target) {
    const connection = await RawConnection.open(target.port, GUESSING_ADDRESS);
    for (let guess = 0; guess < GUESSES; guess++) {
      const key = generateApiKey('ask_live_');
      connection.send(`${head('GET /v1/pets', `Authorization: Bearer ${key}`)}\r\n`);
    }
    for (const response of await untilResponses(connection, GUESSES)) expectStatus(response, [401, 429]);
    connection.close();
  },
};
