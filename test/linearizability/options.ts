import { BadArguments, seedIn, textOptions } from '../support/program-options.js';

export interface Options {
  /** Another round begins until this time is over. */
  readonly minutes: number;
  /** The seed of the first round; each further one has the next. */
  readonly seed: number;
}

export const USAGE = `Usage: npm run linearizability -- [--minutes N] [--seed S]

Three replicas on one PostgreSQL and one Redis, customers who record what they see, and faults: replicas, PostgreSQL and Redis are
killed, paused, restarted and emptied, and the clock of Redis is set. Exits with 1 when no order of events explains what the customers have seen.

  --minutes N  how long; a round takes 15 s of CPU time, and the last one is finished (5)
  --seed S     what the choices of customers and faults follow from; printed for each round
`;

/** The options, or null when the arguments ask for help. @throws BadArguments */
export function parseOptions(args: readonly string[]): Options | null {
  const values = textOptions(args, ['minutes', 'seed']);
  if (values.help) return null;
  const minutes = Number(values.minutes ?? 5);
  if (!(minutes > 0)) throw new BadArguments('--minutes must be more than 0.');
  return { minutes, seed: seedIn(values.seed) };
}
