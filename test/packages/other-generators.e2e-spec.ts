import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { toolFile } from '../support/tools.js';

const ROOT = resolve(__dirname, '../..');

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

/** What a generator is called with, beside the document, and a program that uses what it makes. */
const GENERATED: [name: string, words: string[], uses: string][] = [
  [
    'openapi-typescript',
    [toolFile('openapi-typescript/bin/cli.js'), 'openapi.json', '--output', 'store.ts'],
    `
    import type { components, operations } from './store.js';
    export const rex: components['schemas']['NewAnimal'] = { name: 'Rex', categoryId: 7 };
    export const query: operations['listPets']['parameters']['query'] = { status: 'sold' };
    // @ts-expect-error There is no such status.
    export const lost: components['schemas']['NewAnimal'] = { name: 'Rex', categoryId: 7, status: 'lost' };`,
  ],
  [
    '@hey-api/openapi-ts',
    [toolFile('@hey-api/openapi-ts/bin/run.js'), '--input', 'openapi.json', '--output', 'store'],
    `
    import { createPet, listPets } from './store/index.js';
    void createPet({ body: { name: 'Rex', categoryId: 7 } });
    void listPets({ query: { status: 'sold' } });
    // @ts-expect-error There is no such status.
    void createPet({ body: { name: 'Rex', categoryId: 7, status: 'lost' } });`,
  ],
  [
    'orval, for fetch,',
    [
      toolFile('orval/dist/bin/orval.js'),
      '--input',
      'openapi.json',
      '--output',
      'store.ts',
      '--client',
      'fetch',
    ],
    `
    import { createPet, listPets } from './store.js';
    void createPet({ name: 'Rex', categoryId: 7 });
    void listPets({ status: 'sold' });
    // @ts-expect-error There is no such status.
    void createPet({ name: 'Rex', categoryId: 7, status: 'lost' });`,
  ],
];

it.each(GENERATED)(
  'What %s generates with its defaults compiles, and does not require the status of a new animal',
  (_, words, uses) => {
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-generated-'));
    cpSync(join(ROOT, 'docs/openapi.json'), join(folder, 'openapi.json'));
    writeFileSync(join(folder, 'uses.ts'), uses);
    const settings = { compilerOptions: COMPILER, files: ['uses.ts'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const printed = [words, [join(ROOT, 'node_modules/typescript/bin/tsc')]].map((program) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, program, {
        cwd: folder,
        encoding: 'utf8',
      });
      return status === 0 ? '' : stdout + stderr;
    });
    rmSync(folder, { recursive: true });

    expect(printed).toEqual(['', '']);
  },
  // Compilers take long on a busy machine.
  120_000,
);
