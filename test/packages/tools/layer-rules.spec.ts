import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { toolFile } from '../../support/tools.js';

interface CruiseResult {
  summary: {
    violations: { from: string; to: string; rule: { name: string } }[];
    ruleSetUsed: { forbidden: { name: string }[] };
  };
}

const PROJECT = process.cwd();
const CRUISER = toolFile('dependency-cruiser/bin/dependency-cruise.mjs');
const RULES = resolve(PROJECT, '.dependency-cruiser.cjs');

function cruise(folder: string): CruiseResult {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [CRUISER, 'src', 'libs', '--config', RULES, '--output-type', 'json'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as CruiseResult;
}

/** What violates each rule, and no other: a file, and what it imports or re-exports, as a value or a type. */
const VIOLATIONS: Record<string, [file: string, imports: string]> = {
  'no-cycles': ['src/harbour/egg.ts', './hen.js'],
  'domain-is-plain': ['src/boats/domain/boat.ts', 'node:crypto'],
  'application-orchestrates': ['src/boats/application/get-boat.use-case.ts', '../../docks/docks.module.js'],
  'infrastructure-implements-ports': ['src/boats/infrastructure/sql-boat.repository.ts', '@animal-store/web'],
  'http-calls-use-cases': ['src/boats/http/boats.controller.ts', '../infrastructure/boats.tables.js'],
  'jobs-call-use-cases': ['src/boats/jobs/moor-boats.job.ts', '../infrastructure/sql-moorings.js'],
  'http-knows-no-repository': ['src/boats/http/boat.mapper.ts', 'type ../domain/boat.record.js'],
  'command-line-calls-use-cases': [
    'src/programs/keys/keys.program.ts',
    '../../access/infrastructure/sql-keys.js',
  ],
  'contexts-meet-at-use-cases': ['src/harbour.ts', './boats/application/boat-sorter.js'],
  'layers-re-export-nothing': ['src/boats/http/boat.response.ts', 'export type ../domain/mast.js'],
  'kernel-is-plain': ['libs/kernel/src/index.ts', '@nestjs/common'],
  'issuing-is-plain': ['libs/api-keys/src/issuing/index.ts', '@nestjs/common'],
  'packages-know-no-service': ['libs/web/src/query.ts', '../../../src/docks/docks.module.js'],
  'packages-import-downwards': ['libs/http-errors/src/error.ts', '@animal-store/web'],
  'packages-have-a-layer': ['libs/cellar/src/index.ts', '@animal-store/kernel'],
  'packages-have-faces': ['libs/web/src/field.ts', '../../kernel/src/json.js'],
  'service-sees-faces': ['src/docks/docks.list.ts', '../../libs/web/src/body.js'],
  'typeorm-stays-in-adapters': ['libs/web/src/rows.ts', 'type pg'],
  'tests-are-not-shipped': ['libs/web/src/health.ts', './testing/lighthouse.js'],
  'packages-are-declared': ['src/harbour/colours.ts', 'chalk'],
  'everything-resolves': ['src/harbour/lost.ts', './nowhere.js'],
};

/** What the rules let through although it is of another context, or of the database in a module of stock Nest. */
const ALLOWED: Record<string, string> = {
  'src/boats/domain/berth.ts': '../../docks/domain/dock.rules.js',
  'src/boats/infrastructure/sql-berths.ts': '../../docks/domain/dock.rules.js',
  'src/boats/http/new-mooring.dto.ts': '../../docks/domain/dock.rules.js',
  'src/boats/http/moorings.controller.ts': '../../docks/http/requires-berth.decorator.js',
  'src/harbour/guards.ts': '../docks/http/berth.guard.js',
  'src/crates/crate.entity.ts': 'pg',
  'src/crates/entities/crate.entity.ts': 'pg',
  'src/crates/migrations/1795894300000-create-crates.ts': 'pg',
};

const PACKAGES = ['@nestjs/common', 'pg', 'chalk'];
const LIBRARIES = ['kernel', 'web'];

function importing(specifier: string): string {
  const [file, ...words] = specifier.split(' ').reverse();
  const how = words.reverse().join(' ');
  if (how === '') return `import '${file}';\n`;
  return how.startsWith('export') ? `${how} * from '${file}';\n` : `import ${how} {} from '${file}';\n`;
}

function plant(folder: string): void {
  const write = (file: string, text: string): void => {
    const path = join(folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const targets = Object.entries(VIOLATIONS).flatMap(([rule, [file, imports]]) => {
    const [target] = imports.split(' ').reverse();
    const isThere = target!.startsWith('.') && rule !== 'everything-resolves';
    return isThere ? [join(dirname(file), target!.replace(/js$/, 'ts'))] : [];
  });
  const allowed = Object.entries(ALLOWED).flatMap(([file, target]) =>
    target.startsWith('.') ? [join(dirname(file), target.replace(/js$/, 'ts'))] : [],
  );
  for (const file of [...targets, ...allowed, 'libs/web/src/index.ts']) write(file, 'export {};\n');
  for (const [file, imports] of Object.values(VIOLATIONS)) write(file, importing(imports));
  for (const [file, imports] of Object.entries(ALLOWED)) write(file, importing(imports));
  write('src/harbour/hen.ts', importing('type ./egg.js'));

  const everyLibrary = Object.fromEntries(LIBRARIES.map((name) => [`@animal-store/${name}`, '*']));
  const dependencies = { ...everyLibrary, '@nestjs/common': '*', pg: '*' };
  write('package.json', JSON.stringify({ type: 'module', dependencies, devDependencies: { chalk: '*' } }));
  for (const name of PACKAGES) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    write(`node_modules/${name}/index.js`, '');
  }
  // npm links the packages of a workspace in the same way.
  mkdirSync(join(folder, 'node_modules/@animal-store'));
  for (const name of LIBRARIES) {
    const exports = { '.': { source: './src/index.ts', default: './dist/index.js' } };
    const peerDependencies = { ...everyLibrary, '@nestjs/common': '*' };
    write(
      `libs/${name}/package.json`,
      JSON.stringify({ name: `@animal-store/${name}`, exports, peerDependencies }),
    );
    symlinkSync(`../../libs/${name}`, join(folder, 'node_modules/@animal-store', name));
  }
  copyFileSync(resolve(PROJECT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
}

/** Lint checks that this project follows them. */
describe('Each layer rule', () => {
  let folder: string;
  let result: CruiseResult;

  beforeAll(() => {
    folder = mkdtempSync(join(realpathSync(tmpdir()), 'layer-rules-'));
    plant(folder);
    result = cruise(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  it('is violated by one file here', () => {
    const declared = [...new Set(result.summary.ruleSetUsed.forbidden.map(({ name }) => name))];
    expect(declared.sort()).toEqual(Object.keys(VIOLATIONS).sort());
  });

  it('finds that file and no other', () => {
    const found = result.summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
    const planted = Object.entries(VIOLATIONS).map(([rule, [file]]) => `${rule}: ${file}`);
    expect(found.sort()).toEqual(planted.sort());
  });
});
