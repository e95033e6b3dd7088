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
      // Few of the faults of a longer run. At the same time, as they mostly wait for what starts.
      const rounds = await Promise.all([roundOfFiles(seed, 2), roundOfMoves(seed, 1)]);
      // `npm run linearizability -- --seed N --only files` begins with the same choices.
      expect({ seed, rounds }).toEqual({
        seed,
        rounds: rounds.map(({ facts }) => ({ findings: [], facts })),
      });
    },
    LIMIT_MS,
  );
});
