import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearestName } from './nearest-name.js';
import { variables } from './settings.js';

/** Docker Compose reads the same file; these are of compose.yaml and the Dockerfile. */
const OF_COMPOSE = ['POSTGRES_PASSWORD', 'NODE_BUILD_IMAGE', 'NODE_IMAGE', 'POSTGRES_IMAGE', 'REDIS_IMAGE'];

/**
 * The environment, completed by the variables of the file `path` if it exists. Variables that are already set take
 * precedence.
 */
export function readEnvironment(
  environment: NodeJS.ProcessEnv = process.env,
  path = '.env',
): NodeJS.ProcessEnv {
  return { ...readFile(path), ...environment };
}

/** A sentence for each variable of the file `path` that is no setting, which may be a misspelt one. */
export function unknownSettings(path = '.env'): string[] {
  const known = [...Object.keys(variables.shape), ...OF_COMPOSE];
  const unknown = Object.keys(readFile(path)).filter((name) => !known.includes(name));
  return unknown.map((name) => {
    const nearest = nearestName(name, known);
    const meant = nearest === null ? '' : ` Is ${nearest} meant?`;
    return `${path} has ${name}, which is no setting and is ignored.${meant}`;
  });
}

function readFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}
