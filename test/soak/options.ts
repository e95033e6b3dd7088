import { BadArguments, seedIn, textOptions } from '../support/program-options.js';
import type { DatabaseKind } from '../cluster/cluster.js';
import { actors } from './hostile/actors.js';

const DATABASES: readonly DatabaseKind[] = ['sqlite', 'postgres'];

export interface SoakOptions {
  /** The longest time of the run, from its first start to its last verdict, for both databases together. */
  readonly minutes: number;
  /** The seed of the choices of every actor. The timing of the machine still differs in each run. */
  readonly seed: number;
  /** The names of the hostile actors. */
  readonly only: readonly string[];
  readonly databases: readonly DatabaseKind[];
}

/** A shorter run would have no time for its load. */
const LEAST_MINUTES = 0.7;

export const USAGE = `Usage: npm run dev -- soak [--minutes N] [--seed S] [--only NAME,…] [--database sqlite|postgres]

Honest load beside hostile clients, on SQLite and on PostgreSQL with Redis. Exits with 1 when something breaks.

  --minutes N      how long it takes, both databases together (2)
  --seed S         what the actors' choices follow from; printed by every run
  --only NAME,…    honest load and these hostile actors alone
  --database NAME  sqlite or postgres; default: both

Hostile actors:

${actors.map(({ name, about }) => `  ${name.padEnd(16)} ${about}`).join('\n')}
`;

/** The options, or null when the arguments request help. @throws BadArguments */
export function parseOptions(args: readonly string[]): SoakOptions | null {
  const values = textOptions(args, ['minutes', 'seed', 'only', 'database']);
  if (values.help) return null;
  const minutes = Number(values.minutes ?? 2);
  if (!(minutes >= LEAST_MINUTES)) throw new BadArguments(`--minutes must be at least ${LEAST_MINUTES}.`);
  const seed = seedIn(values.seed);
  const names = actors.map(({ name }) => name);
  const only = values.only?.split(',') ?? names;
  if (!only.every((name) => names.includes(name))) {
    throw new BadArguments(`--only must be one or more of ${names.join(',')}.`);
  }
  const databases = DATABASES.filter((kind) => kind === (values.database ?? kind));
  if (databases.length === 0) throw new BadArguments('--database must be sqlite or postgres.');
  return { minutes, seed, only, databases };
}
