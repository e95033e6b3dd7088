import { randomInt } from 'node:crypto';
import { hasPostgres } from '@animal-store/database/testing';
import { roundOfFiles } from './files.js';
import { roundOfMoves } from './moves.js';

/** Several times what a round takes on a machine that has much else to do. */
const LIMIT_MS = 300_000;

const describeHere = hasPostgres() ? describe : describe.skip;

describeHere('While the files of SQLite are damaged, and a move to PostgreSQL is killed', () => {
  it(
    'nothing is acknowledged that is not there after the next start',
    async () => {
      const seed = randomInt(1_000_000_000);
      // At the same time, as they mostly wait for what starts.
      const rounds = await Promise.all([roundOfFiles(seed), roundOfMoves(seed)]);
      // With the seed, `npm run linearizability -- --seed N --only files` makes the same choices again.
      expect({ seed, rounds }).toEqual({
        seed,
        rounds: rounds.map(({ facts }) => ({ findings: [], facts })),
      });
    },
    LIMIT_MS,
  );
});
