import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toolFile } from '../support/tools.js';

const ROOT = resolve(__dirname, '../..');
const OPENAPI_TYPESCRIPT = toolFile('openapi-typescript/bin/cli.js');
const HEY_API = toolFile('@hey-api/openapi-ts/bin/run.js');
const ORVAL = toolFile('orval/dist/bin/orval.js');

const COMPILER = {
  strict: true,
  noEmit: true,
  target: 'es2022',
  module: 'esnext',
  moduleResolution: 'bundler',
  lib: ['es2022', 'dom', 'dom.iterable'],
  types: [],
  skipDefaultLibCheck: true,
};

/** Compilers take long on a busy machine. */
const WITHIN_MS = 120_000;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'animal-store-generated-'));
  cpSync(join(ROOT, 'docs/openapi.json'), join(folder, 'openapi.json'));
});

afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a program in the folder. Returns what it printed when it fails. */
function failureOf(...words: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' });
  return status === 0 ? '' : stdout + stderr;
}

/** Compiles `uses` with what it imports. Returns the errors of the compiler. */
function errorsIn(uses: string): string {
  writeFileSync(join(folder, 'uses.ts'), uses);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: COMPILER, files: ['uses.ts'] }),
  );
  return failureOf(join(ROOT, 'node_modules/typescript/bin/tsc'));
}

describe('What openapi-typescript generates with its defaults', () => {
  beforeEach(() => {
    expect(failureOf(OPENAPI_TYPESCRIPT, 'openapi.json', '--output', 'store.ts')).toBe('');
  }, WITHIN_MS);

  it(
    'compiles, and does not require the status of a new animal',
    () => {
      const uses = `
      import type { components, operations } from './store.js';
      export const rex: components['schemas']['NewAnimal'] = { name: 'Rex', categoryId: 7 };
      export const query: operations['listPets']['parameters']['query'] = { status: 'sold' };
      // @ts-expect-error There is no such status.
      export const lost: components['schemas']['NewAnimal'] = { name: 'Rex', categoryId: 7, status: 'lost' };
    `;
      expect(errorsIn(uses)).toBe('');
    },
    WITHIN_MS,
  );
});

describe('What @hey-api/openapi-ts generates with its defaults', () => {
  beforeEach(() => {
    expect(failureOf(HEY_API, '--input', 'openapi.json', '--output', 'store')).toBe('');
  }, WITHIN_MS);

  it(
    'compiles, and does not require the status of a new animal',
    () => {
      const uses = `
      import { createPet, listPets } from './store/index.js';
      void createPet({ body: { name: 'Rex', categoryId: 7 } });
      void listPets({ query: { status: 'sold' } });
      // @ts-expect-error There is no such status.
      void createPet({ body: { name: 'Rex', categoryId: 7, status: 'lost' } });
    `;
      expect(errorsIn(uses)).toBe('');
    },
    WITHIN_MS,
  );
});

describe('What orval generates for fetch', () => {
  beforeEach(() => {
    expect(failureOf(ORVAL, '--input', 'openapi.json', '--output', 'store.ts', '--client', 'fetch')).toBe('');
  }, WITHIN_MS);

  it(
    'compiles, and does not require the status of a new animal',
    () => {
      const uses = `
      import { createPet, listPets } from './store.js';
      void createPet({ name: 'Rex', categoryId: 7 });
      void listPets({ status: 'sold' });
      // @ts-expect-error There is no such status.
      void createPet({ name: 'Rex', categoryId: 7, status: 'lost' });
    `;
      expect(errorsIn(uses)).toBe('');
    },
    WITHIN_MS,
  );
});
