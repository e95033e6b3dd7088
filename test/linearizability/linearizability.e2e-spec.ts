import { randomInt } from 'node:crypto';
import { hasFaketime, hasRedisServer } from '@animal-store/rate-limiting/testing';
import { hasPostgres } from '@animal-store/database/testing';
import { round } from './round.js';

/** Several times what a round takes on a machine that has much else to do. */
const LIMIT_MS = 300_000;

const describeHere = hasPostgres() && hasRedisServer() && hasFaketime() ? describe : describe.skip;

describeHere('Three replicas while PostgreSQL, Redis and they themselves fail', () => {
  it(
    'give responses that an order of events explains, and count every request',
    async () => {
      const seed = randomInt(1_000_000_000);
      // Few of the faults of a longer run. `npm run linearizability -- --seed N --only requests` begins with the same choices.
      const { findings, facts } = await round(seed, 3);
      expect({ seed, findings, facts }).toEqual({ seed, findings: [], facts });
    },
    LIMIT_MS,
  );
});
