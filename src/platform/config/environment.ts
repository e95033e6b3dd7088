import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';

/**
 * The environment, completed by the variables of the file `path` if it exists. Variables that are already set take
 * precedence.
 */
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
