import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What a program can be asked; it is measured and compared in nothing else. */
export type Feature = 'list' | 'get' | 'add' | 'idempotency' | 'orders' | 'limits';

export type ProgramName =
  'service' | 'without-queue' | 'node-http' | 'fastify' | 'plain-express' | 'tutorial-nest';

/** A server that can be measured. */
export interface Program {
  readonly name: ProgramName;
  readonly title: string;
  /** What `node` is given. */
  readonly flags: readonly string[];
  readonly entry: string;
  readonly features: readonly Feature[];
  /** Packages without which it cannot start. */
  readonly needs: readonly string[];
  /** Packages without which it starts, and does less. */
  readonly wants: readonly string[];
  /** Whether refusals must be worded like the service's, and no header may be added. */
  readonly strict: boolean;
}

const DIST = join(import.meta.dirname, '..');
const ALL: readonly Feature[] = ['list', 'get', 'add', 'idempotency', 'orders', 'limits'];

function program(
  name: ProgramName,
  title: string,
  facts: Partial<Pick<Program, 'entry' | 'features' | 'needs' | 'wants' | 'strict'>> = {},
): Program {
  const entry = join(DIST, 'bench', 'bundled', `${name}.js`);
  return {
    name,
    title,
    flags: serviceFlags,
    entry,
    features: ALL,
    needs: [],
    wants: [],
    strict: true,
    ...facts,
  };
}

/** The flags between `node` and the file in `npm run start:prod`; every program gets them. */
const serviceFlags = scriptsOf(join(DIST, '..', 'package.json'))
  ['start:prod']!.split(' ')
  .slice(1, -1);

export const PROGRAMS: Readonly<Record<ProgramName, Program>> = {
  service: program('service', 'Animal Store Service', { entry: join(DIST, 'main.js') }),
  'node-http': program('node-http', 'bare node:http by hand'),
  fastify: program('fastify', 'Fastify 5 by hand', { needs: ['fastify'] }),
  'without-queue': program('without-queue', 'the service without its answer queue'),
  'plain-express': program('plain-express', 'the service on the plain ExpressAdapter'),
  'tutorial-nest': program('tutorial-nest', 'Nest from the tutorials', {
    // As it comes out of the compiler: the tutorials bundle nothing.
    entry: join(DIST, 'bench', 'peers', 'tutorial-nest.js'),
    features: ['list', 'get', 'add'],
    wants: ['helmet'],
    strict: false,
  }),
};

function scriptsOf(file: string): Record<string, string> {
  return (JSON.parse(readFileSync(file, 'utf8')) as { scripts: Record<string, string> }).scripts;
}

const { resolve } = createRequire(import.meta.url);

export function isInstalledPackage(name: string): boolean {
  try {
    resolve(name);
    return true;
  } catch {
    return false;
  }
}
