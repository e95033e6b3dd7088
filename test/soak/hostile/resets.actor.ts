import { setTimeout as delay } from 'node:timers/promises';
import { cutRequest, cutResponse } from '../../support/cut-connection.js';
import { headOf as head } from '../../support/hostile-requests.js';
import { type Actor, addition, bearer } from './actor.js';

const RESPONSE_BYTES = 900;

export const resets: Actor = {
  name: 'resets',
  about: 'resets the connection at any byte of a request or of a response',
  strands: 2,
  async act(target, random) {
    const requests = [
      addition(target),
      `${head('GET /v1/pets?limit=3', bearer(target))}\r\n`,
      `${head('GET /openapi.json')}\r\n`,
    ];
    const text = random.pick(requests);
    if (random.chance(0.5)) {
      const isSeenFirst = random.chance(0.5);
      const pause = () => (isSeenFirst ? delay(random.between(1, 4)) : Promise.resolve());
      await cutRequest(target.port, text, random.between(0, text.length), pause);
    } else {
      await cutResponse(target.port, text, random.between(0, RESPONSE_BYTES));
    }
  },
};
