import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';

/** The arguments are invalid, for the reason in the message. */
export class BadArguments extends Error {}

/**
 * The values of the options with these names, and `help`.
 * @throws BadArguments
 */
export function textOptions<Name extends string>(
  args: readonly string[],
  names: readonly Name[],
): Partial<Record<Name, string>> & { help?: boolean } {
  const texts = Object.fromEntries(names.map((name) => [name, { type: 'string' }] as const));
  try {
    const { values } = parseArgs({ args: [...args], options: { ...texts, help: { type: 'boolean' } } });
    return values as Partial<Record<Name, string>> & { help?: boolean };
  } catch (error) {
    throw new BadArguments((error as Error).message);
  }
}

/**
 * The seed in `text`, or a new one.
 * @throws BadArguments
 */
export function seedIn(text: string | undefined): number {
  const seed = Number(text ?? randomInt(1_000_000_000));
  if (!Number.isSafeInteger(seed) || seed < 0) throw new BadArguments('--seed must be a whole number.');
  return seed;
}

/** What `parse` makes of the arguments of this process. Ends the process when they are invalid or request help. */
export function optionsOrExit<Options>(
  parse: (args: readonly string[]) => Options | null,
  usage: string,
): Options {
  try {
    const options = parse(process.argv.slice(2));
    if (options) return options;
    process.stdout.write(usage);
    process.exit(0);
  } catch (error) {
    if (!(error instanceof BadArguments)) throw error;
    process.stderr.write(`${error.message}\n\n${usage}`);
    process.exit(2);
  }
}
