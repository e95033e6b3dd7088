import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/** The environment with what the file `path`, if there is one, adds to it: a variable that is set stays as it is. */
export function readEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  path = '.env',
): NodeJS.ProcessEnv {
  try {
    return { ...parseEnv(readFileSync(path, 'utf8')), ...environment };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return environment;
    throw error;
  }
}
