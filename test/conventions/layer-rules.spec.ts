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

interface CruiseResult {
  modules: { source: string }[];
  summary: {
    violations: { from: string; to: string; rule: { name: string } }[];
    ruleSetUsed: { forbidden: { name: string }[] };
  };
}

const PROJECT = process.cwd();
const CRUISER = resolve(PROJECT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
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

/** Files of two contexts that this project does not have. The rules find contexts only by their folders. */
const BYSTANDERS = [
  'src/boats/domain/boat.ts',
  'src/boats/domain/boat.repository.ts',
  'src/boats/domain/boat.errors.ts',
  'src/boats/application/get-boat.use-case.ts',
  'src/boats/application/boats-application.module.ts',
  'src/boats/application/boat-sorter.ts',
  'src/boats/infrastructure/boat.record.ts',
  'src/boats/infrastructure/boats.tables.ts',
  'src/boats/infrastructure/sql-boat.repository.ts',
  'src/boats/http/boats.controller.ts',
  'src/boats/testing/boat.builder.ts',
  'src/boats/boats.module.ts',
  'src/docks/domain/dock.ts',
  'src/docks/application/list-docks.use-case.ts',
  'src/docks/docks.module.ts',
  'src/platform/http/resource-responses.ts',
  'src/platform/database/database.ts',
  'src/platform/config/settings.ts',
  'src/shared/key-facts.ts',
  'src/platform/operations/metrics.ts',
  'src/platform/idempotency/idempotent.decorator.ts',
  'src/platform/idempotency/idempotency.ts',
  'src/platform/idempotency/idempotency.repository.ts',
  'src/platform/idempotency/infrastructure/idempotency.record.ts',
  'src/platform/idempotency/infrastructure/idempotency.tables.ts',
  'libs/keys/src/index.ts',
  'libs/kernel/src/index.ts',
  'libs/kernel/src/clock.ts',
  'libs/limits/src/index.ts',
  'test/support/harbour.ts',
];

const PACKAGES = ['@nestjs/common', 'typeorm', 'pg', 'chalk', 'undeclared'];

/** Each line is a file, what it imports or re-exports, as a value or a type, and the rules that this violates. */
const VIOLATIONS: [file: string, imports: string, ...rules: string[]][] = [
  ['src/platform/operations/egg.ts', './hen.js', 'no-cycles'],
  ['src/boats/domain/planted-1.ts', 'type @nestjs/common', 'domain-is-plain'],
  ['src/boats/domain/planted-2.ts', 'node:crypto', 'domain-is-plain'],
  ['src/boats/domain/planted-3.ts', '../application/get-boat.use-case.js', 'domain-is-plain'],
  ['src/boats/domain/planted-4.ts', '@animal-store/keys', 'domain-is-plain'],
  ['src/boats/domain/planted-5.ts', '../../../libs/kernel/src/clock.js', 'domain-is-plain'],
  ['src/boats/domain/planted-6.ts', 'typeorm', 'domain-is-plain', 'typeorm-stays-in-adapters'],
  [
    'src/boats/application/planted-1.ts',
    '../infrastructure/sql-boat.repository.js',
    'application-orchestrates',
  ],
  ['src/boats/application/planted-2.ts', '../http/boats.controller.js', 'application-orchestrates'],
  ['src/boats/application/planted-3.ts', '../../platform/database/database.js', 'application-orchestrates'],
  ['src/docks/application/planted-4.ts', '../../boats/boats.module.js', 'application-orchestrates'],
  [
    'src/docks/application/planted-5.ts',
    '../../boats/domain/boat.js',
    'application-orchestrates',
    'contexts-meet-at-use-cases',
  ],
  [
    'src/boats/infrastructure/planted-1.ts',
    '../application/get-boat.use-case.js',
    'infrastructure-implements-ports',
  ],
  ['src/boats/infrastructure/planted-2.ts', '../http/boats.controller.js', 'infrastructure-implements-ports'],
  [
    'src/boats/infrastructure/planted-3.ts',
    '../../platform/http/resource-responses.js',
    'infrastructure-implements-ports',
  ],
  [
    'src/boats/infrastructure/planted-4.ts',
    '../../docks/application/list-docks.use-case.js',
    'infrastructure-implements-ports',
  ],
  ['src/boats/http/planted-1.ts', '../infrastructure/boats.tables.js', 'http-calls-use-cases'],
  ['src/boats/http/planted-2.ts', '../../platform/database/database.js', 'http-calls-use-cases'],
  ['src/boats/http/planted-3.ts', 'typeorm', 'http-calls-use-cases', 'typeorm-stays-in-adapters'],
  ['src/boats/http/planted-4.ts', '../../docks/application/list-docks.use-case.js', 'http-calls-use-cases'],
  ['src/boats/http/planted-8.ts', '../../platform/idempotency/idempotency.js', 'http-calls-use-cases'],
  ['src/boats/http/planted-5.ts', 'type ../domain/boat.repository.js', 'http-knows-no-repository'],
  [
    'src/boats/http/planted-6.ts',
    '../infrastructure/boat.record.js',
    'http-calls-use-cases',
    'http-knows-no-repository',
  ],
  [
    'src/platform/operations/planted-1.ts',
    'type ../../boats/domain/boat.js',
    'contexts-meet-at-use-cases',
    'platform-knows-no-context',
  ],
  [
    'src/platform/operations/planted-2.ts',
    '../../boats/infrastructure/sql-boat.repository.js',
    'contexts-meet-at-use-cases',
    'platform-knows-no-context',
  ],
  ['src/docks/planted-2.module.ts', '../boats/application/boat-sorter.js', 'contexts-meet-at-use-cases'],
  [
    'src/docks/planted-3.module.ts',
    '../platform/idempotency/infrastructure/idempotency.record.js',
    'contexts-meet-at-use-cases',
  ],
  ['src/docks/planted.module.ts', '../boats/http/boats.controller.js', 'contexts-meet-at-use-cases'],
  ['src/planted.ts', './boats/domain/boat.js', 'contexts-meet-at-use-cases'],
  ['src/boats/application/planted-6.ts', 'export ../domain/boat.repository.js', 'layers-re-export-nothing'],
  ['src/boats/http/planted-7.ts', 'export type ../domain/boat.js', 'layers-re-export-nothing'],
  ['src/shared/planted-1.ts', '../platform/config/settings.js', 'shared-stands-alone'],
  ['src/shared/planted-2.ts', '@nestjs/common', 'shared-stands-alone'],
  ['libs/kernel/src/planted-1.ts', '@nestjs/common', 'kernel-is-plain'],
  ['libs/kernel/src/planted-2.ts', '@animal-store/keys', 'kernel-is-plain', 'libs-stand-alone'],
  ['src/platform/operations/planted-3.ts', '../../boats/boats.module.js', 'platform-knows-no-context'],
  [
    'src/platform/idempotency/planted-1.ts',
    '../../boats/application/get-boat.use-case.js',
    'platform-knows-no-context',
  ],
  [
    'src/platform/idempotency/planted-2.ts',
    'type ../../boats/domain/boat.errors.js',
    'platform-knows-no-context',
  ],
  ['src/platform/openapi/planted.ts', '../../lawful.js', 'platform-knows-no-context'],
  [
    'src/platform/http/planted-1.ts',
    '../../boats/boats.module.js',
    'foundation-knows-only-settings',
    'platform-knows-no-context',
  ],
  ['src/platform/http/planted-2.ts', '../idempotency/idempotency.js', 'foundation-knows-only-settings'],
  ['src/platform/config/planted.ts', '../operations/metrics.js', 'foundation-knows-only-settings'],
  ['src/platform/database/planted.ts', '../http/resource-responses.js', 'foundation-knows-only-settings'],
  [
    'src/platform/idempotency/infrastructure/planted.ts',
    '../idempotency.js',
    'infrastructure-implements-ports',
  ],
  ['src/platform/operations/planted-4.ts', 'type pg', 'typeorm-stays-in-adapters'],
  ['libs/keys/src/planted-1.ts', '../../limits/src/index.js', 'libs-stand-alone'],
  ['libs/keys/src/planted-2.ts', '@animal-store/limits', 'libs-stand-alone'],
  ['libs/keys/src/planted-3.ts', '../../../src/shared/key-facts.js', 'libs-stand-alone'],
  ['libs/keys/src/planted-6.ts', '../../kernel/src/clock.js', 'libs-stand-alone'],
  ['libs/keys/src/planted-5.ts', 'pg', 'packages-are-declared', 'typeorm-stays-in-adapters'],
  ['libs/keys/src/planted-4.spec.ts', '../../../src/shared/key-facts.js', 'libs-stand-alone'],
  [
    'src/platform/operations/planted-5.ts',
    '../../boats/testing/boat.builder.js',
    'platform-knows-no-context',
    'tests-are-not-shipped',
  ],
  ['src/platform/operations/planted-6.ts', '../../../test/support/harbour.js', 'tests-are-not-shipped'],
  ['src/platform/operations/planted-7.ts', 'chalk', 'packages-are-declared'],
  ['src/platform/operations/planted-8.ts', 'undeclared', 'packages-are-declared'],
  ['src/platform/operations/planted-9.ts', './nowhere.js', 'everything-resolves'],
];

const LAWFUL: [file: string, imports: string][] = [
  ['src/boats/domain/lawful.ts', '@animal-store/kernel'],
  ['src/boats/domain/lawful-2.ts', '../../shared/key-facts.js'],
  ['src/boats/application/lawful-1.ts', '../domain/boat.repository.js'],
  ['src/boats/application/lawful-2.ts', '../../docks/application/list-docks.use-case.js'],
  ['src/boats/application/lawful-3.ts', '@nestjs/common'],
  ['src/docks/application/lawful-4.ts', '../../boats/domain/boat.errors.js'],
  ['src/docks/http/lawful-5.ts', '../../boats/domain/boat.errors.js'],
  ['src/boats/infrastructure/lawful-1.ts', '../domain/boat.repository.js'],
  ['src/boats/infrastructure/lawful-2.ts', 'typeorm'],
  ['src/boats/infrastructure/lawful-3.ts', '../../platform/database/database.js'],
  ['src/boats/infrastructure/lawful-4.ts', '@animal-store/keys'],
  ['src/boats/http/lawful-1.ts', '../application/get-boat.use-case.js'],
  ['src/boats/http/lawful-2.ts', '../domain/boat.js'],
  ['src/boats/http/lawful-3.ts', '../../platform/http/resource-responses.js'],
  ['src/boats/http/lawful-4.ts', '../../platform/idempotency/idempotent.decorator.js'],
  ['src/platform/http/lawful-1.ts', 'node:crypto'],
  ['src/platform/operations/lawful.ts', '../http/resource-responses.js'],
  ['src/platform/idempotency/infrastructure/lawful.ts', '../idempotency.repository.js'],
  ['src/lawful-2.ts', './platform/idempotency/infrastructure/idempotency.tables.js'],
  ['src/boats/domain/lawful.spec.ts', '../testing/boat.builder.js'],
  ['src/boats/lawful.module.ts', '../docks/docks.module.js'],
  ['src/lawful.ts', './boats/infrastructure/boats.tables.js'],
  ['src/lawful.spec.ts', '../test/support/harbour.js'],
  ['libs/keys/src/lawful-1.ts', '@nestjs/common'],
  ['libs/keys/src/lawful-2.ts', 'type chalk'],
  ['libs/keys/src/lawful-3.ts', '@animal-store/kernel'],
];

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
  for (const file of BYSTANDERS) write(file, 'export {};\n');
  for (const [file, imports] of [...VIOLATIONS, ...LAWFUL]) write(file, importing(imports));
  write('src/platform/operations/hen.ts', importing('type ./egg.js'));

  write(
    'package.json',
    JSON.stringify({
      type: 'module',
      dependencies: {
        '@animal-store/kernel': '*',
        '@animal-store/keys': '*',
        '@animal-store/limits': '*',
        '@nestjs/common': '*',
        typeorm: '*',
        pg: '*',
      },
      devDependencies: { chalk: '*' },
    }),
  );
  for (const name of PACKAGES) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
    write(`node_modules/${name}/index.js`, '');
  }
  // npm links the packages of a workspace in the same way.
  mkdirSync(join(folder, 'node_modules/@animal-store'));
  for (const name of ['kernel', 'keys', 'limits']) {
    const exports = { '.': { source: './src/index.ts', default: './dist/index.js' } };
    const peerDependencies = { '@nestjs/common': '*', '@animal-store/kernel': '*' };
    write(
      `libs/${name}/package.json`,
      JSON.stringify({ name: `@animal-store/${name}`, exports, peerDependencies }),
    );
    symlinkSync(`../../libs/${name}`, join(folder, 'node_modules/@animal-store', name));
  }
  copyFileSync(resolve(PROJECT, 'tsconfig.json'), join(folder, 'tsconfig.json'));
}

describe('layer rules', () => {
  it('hold in this project', () => {
    const { modules, summary } = cruise(PROJECT);
    expect(modules.map(({ source }) => source)).toEqual(
      expect.arrayContaining([
        'src/app.module.ts',
        'src/pets/domain/pet.ts',
        'libs/http-errors/src/index.ts',
      ]),
    );
    expect(summary.violations).toEqual([]);
  });

  describe('in a project with violations', () => {
    let folder: string;
    let result: CruiseResult;

    beforeAll(() => {
      folder = mkdtempSync(join(realpathSync(tmpdir()), 'layer-rules-'));
      plant(folder);
      result = cruise(folder);
    });

    afterAll(() => rmSync(folder, { recursive: true }));

    const rulesBrokenBy = (file: string): string[] =>
      result.summary.violations
        .filter(({ from }) => from === file)
        .map(({ rule }) => rule.name)
        .sort();

    it.each(VIOLATIONS)('refuse that %s imports %s', (file, _imports, ...rules) => {
      expect(rulesBrokenBy(file)).toEqual(rules);
    });

    it.each(LAWFUL)('allow that %s imports %s', (file) => {
      expect(result.modules.map(({ source }) => source)).toContain(file);
      expect(rulesBrokenBy(file)).toEqual([]);
    });

    it('are each violated at least once', () => {
      const seen = new Set(VIOLATIONS.flatMap(([, , ...rules]) => rules));
      const declared = result.summary.ruleSetUsed.forbidden.map(({ name }) => name);
      expect([...seen].sort()).toEqual(declared.sort());
    });
  });
});
