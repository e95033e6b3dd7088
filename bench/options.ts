import { parseArgs } from 'node:util';

export interface Options {
  /** A run of a few minutes that tells whether anything is far off; its numbers are not for quoting. */
  readonly quick: boolean;
  /** Names of scenarios; all of them when empty. */
  readonly only: readonly string[];
  readonly launches: number;
  readonly roundsPerLaunch: number;
  readonly secondsPerRound: number;
  readonly warmUpSeconds: number;
  readonly generator: 'wrk' | 'built-in' | 'best';
  /** Whether the result goes to docs/. */
  readonly write: boolean;
  readonly list: boolean;
}

export const USAGE = `npm run bench -- [options]

  --quick            smaller data, fewer and shorter rounds: under ten minutes
  --scenario NAME    only this one; may be given several times
  --starts N         how often the servers of a scenario are started (default 3, quick 1)
  --rounds N         rounds after each start (default 2)
  --seconds N        seconds of each round (default 3, quick 1)
  --generator NAME   wrk or built-in (default: wrk where it is installed)
  --write            write docs/performance.md and docs/performance.svg also after a partial or quick run
  --list             name the scenarios
`;

/** @throws Error naming the argument that is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      scenario: { type: 'string', multiple: true, default: [] },
      starts: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      generator: { type: 'string', default: 'best' },
      write: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  });
  const { quick, generator, scenario: only, write, list } = values;
  if (generator !== 'wrk' && generator !== 'built-in' && generator !== 'best') {
    throw new Error('--generator must be wrk or built-in.');
  }
  return {
    quick,
    only,
    launches: wholeNumber('--starts', values.starts, quick ? 1 : 3),
    roundsPerLaunch: wholeNumber('--rounds', values.rounds, 2),
    secondsPerRound: wholeNumber('--seconds', values.seconds, quick ? 1 : 3),
    warmUpSeconds: quick ? 1 : 3,
    generator,
    write: write || (!quick && only.length === 0),
    list,
  };
}

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1) throw new Error(`${name} must be a whole number of at least 1.`);
  return value;
}
