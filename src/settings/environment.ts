import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { misspeltName } from './misspelt-name.js';
import { InvalidSettings, SETTING_NAMES } from './settings.js';

/** Docker Compose reads the same file; these are of compose.yaml and the Dockerfile. */
const OF_COMPOSE = [
  'POSTGRES_PASSWORD',
  'COMMIT',
  'NODE_BUILD_IMAGE',
  'NODE_IMAGE',
  'POSTGRES_IMAGE',
  'REDIS_IMAGE',
];

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

/** The full path of the file that sets the variable; null when the environment does, or nothing. */
export function fileThatSets(
  variable: string,
  environment: NodeJS.ProcessEnv = process.env,
  path = '.env',
): string | null {
  return environment[variable] === undefined && readFile(path)[variable] ? resolve(path) : null;
}

/**
 * A sentence for each variable that is no setting: every one of the file `path`, as it is for this service alone, and
 * of the environment those that look like a misspelt setting.
 */
export function unknownSettings(environment: NodeJS.ProcessEnv = process.env, path = '.env'): string[] {
  const known = [...SETTING_NAMES, ...OF_COMPOSE];
  const inFile = Object.keys(readFile(path)).filter((name) => !known.includes(name));
  const inEnvironment = Object.keys(environment).filter(
    (name) => !known.includes(name) && !inFile.includes(name),
  );
  return [
    ...inFile.map((name) => sentence(path, name, misspeltName(name, known))),
    ...inEnvironment.flatMap((name) => {
      const meant = misspeltName(name, known);
      return meant === null ? [] : [sentence('The environment', name, meant)];
    }),
  ];
}

function sentence(place: string, name: string, meant: string | null): string {
  const question = meant === null ? '' : ` Is ${meant} meant?`;
  return `${place} has ${name}, which is no setting and is ignored.${question}`;
}

function readFile(path: string): NodeJS.Dict<string> {
  try {
    return parseEnv(readFileSync(path, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new InvalidSettings([`${path} cannot be read: ${message}`]);
  }
}
