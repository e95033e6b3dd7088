import { randomInt } from 'node:crypto';
import { hasRedisServer } from '@animal-store/rate-limiting/testing';
import { hasPostgres } from '@animal-store/database/testing';
import { roundOfJobs } from './round.js';

/** Several times what a round takes on a machine that has much else to do. */
const LIMIT_MS = 300_000;

const describeHere = hasPostgres() && hasRedisServer() ? describe : describe.skip;

describeHere('Workers on PostgreSQL while everything fails', () => {
  it(
    'run every job whose cause is stored, no other, and none twice at once',
    async () => {
      const seed = randomInt(1_000_000_000);
      // Few of the faults of a longer run. `npm run linearizability -- --seed N --only jobs` begins with the same choices.
      const { findings, facts } = await roundOfJobs(seed, 'postgres', 1);
      expect({ seed, findings, facts }).toEqual({ seed, findings: [], facts });
    },
    LIMIT_MS,
  );
});
