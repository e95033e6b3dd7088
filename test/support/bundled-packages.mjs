// Jest loads every module again for every suite. Nest, TypeORM and the other large packages have about 1,000 files,
// which takes longer than most suites do. So the suites load one file with all of these packages, which is made once
// and is compiled once by each worker. Each suite still runs it for itself.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { Script } from 'node:vm';

/** Everything that the code imports from these packages, without `.js` at the end. */
const IMPORTED = [
  '@nestjs/common',
  '@nestjs/core',
  '@nestjs/core/helpers/execution-context-host',
  '@nestjs/core/router/route-path-factory',
  '@nestjs/platform-express',
  '@nestjs/platform-express/multer/files.constants',
  '@nestjs/swagger',
  '@nestjs/testing',
  '@nestjs/throttler',
  '@opentelemetry/api',
  'class-transformer',
  'class-transformer/cjs/storage',
  'class-validator',
  'express',
  'fast-check',
  'lossless-json',
  'marked',
  'pg',
  'pino',
  'prom-client',
  'reflect-metadata',
  'rxjs',
  'rxjs/operators',
  'supertest',
  'typeorm',
  'typeorm/driver/better-sqlite3/BetterSqlite3QueryRunner',
  'typeorm/driver/postgres/PostgresQueryRunner',
  'zod',
];
const PACKAGES = IMPORTED.filter((name) => /^(@[^/]+\/)?[^/]+$/.test(name));

/** A file that gets the package and prepares it whenever a suite loads it. */
const PREPARED_BY = {
  'fast-check': join(import.meta.dirname, 'bounded-properties.cjs'),
  supertest: join(import.meta.dirname, 'lazy-stacks.cjs'),
};

/** These packages find files of their own, so they stay in node_modules. */
const LEFT_OUT = [/^better-sqlite3$/, /^ioredis$/, /^swagger-ui-dist(\/|$)/];

const root = resolve(import.meta.dirname, '../..');
const fingerprint = createHash('sha256');
for (const file of ['package-lock.json', 'test/support/bundled-packages.mjs']) {
  fingerprint.update(readFileSync(join(root, file)));
}
/** Removed with node_modules. */
const folder = join(root, 'node_modules/.cache', `test-packages-${fingerprint.digest('hex').slice(0, 16)}`);

/** For Jest's moduleNameMapper. What IMPORTED lacks maps to a file that says so, as there must be no second copy. */
export const packageNames = {
  [`^((?:${PACKAGES.join('|')})(?:/.+?)?)(?:\\.js)?$`]: [
    `${folder}/$1.cjs`,
    join(import.meta.dirname, 'not-bundled.cjs'),
  ],
};

/**
 * The bundle: it returns a function with the parameters of a CommonJS module, which exports a function for each name.
 * It loads what the name resolves to. V8 has compiled most of it already, unless that was another version of Node.
 */
export function packagesScript(from = folder) {
  const source = readFileSync(join(from, 'packages.js'), 'utf8');
  const code = join(from, 'packages.code');
  return new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: join(folder, 'packages.js'),
    cachedData: existsSync(code) ? readFileSync(code) : undefined,
  });
}

/** Makes the files, unless they are there. Jest's globalSetup. */
export default async function bundlePackages() {
  if (existsSync(folder)) return;
  process.stderr.write('Bundling the packages for the tests …\n');
  const unfinished = `${folder}.${process.pid}`;
  await bundle(join(unfinished, 'packages.js'));
  writeModule('packages', 'runPackages(exports, require, module, __filename, __dirname);\n');
  for (const name of IMPORTED) {
    const packages = join(relative(dirname(name), '.'), 'packages.cjs');
    const preparation = PREPARED_BY[name] ? `require('${PREPARED_BY[name]}')(module.exports);\n` : '';
    writeModule(name, `module.exports = require('./${packages}')['${name}']();\n${preparation}`);
  }
  writeFileSync(join(unfinished, 'packages.code'), compiled(unfinished));
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another run has made them in the meantime.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }

  function writeModule(name, code) {
    const file = join(unfinished, `${name}.cjs`);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, code);
  }
}

/** What V8 compiles to load all packages. */
function compiled(from) {
  const script = packagesScript(from);
  const packages = {};
  script.runInThisContext()(packages, createRequire(join(from, 'packages.js')), {}, from, from);
  for (const load of Object.values(packages)) load();
  return script.createCachedData();
}

async function bundle(file) {
  const { build } = await import('rolldown');
  const entry = join(root, 'packages.cjs');
  const code = IMPORTED.map((name) => `exports['${name}'] = () => require('${name}');`).join('\n');
  await build({
    input: entry,
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? code : null),
      },
    ],
    platform: 'node',
    external: LEFT_OUT,
    treeshake: false,
    transform: { define: { 'import.meta.resolve': 'require.resolve' } },
    output: { file, format: 'cjs', codeSplitting: false, keepNames: true, comments: false },
    onLog(level, log, handle) {
      // Optional packages, such as @nestjs/microservices, are resolved at run time.
      if (log.code !== 'UNRESOLVED_IMPORT') handle(level, log);
    },
  });
}
