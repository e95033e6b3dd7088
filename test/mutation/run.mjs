// Changes the code in many small ways and reports the changes that no suite notices: npm run dev -- mutation [target…]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';
import setUp from '../support/global-setup.cjs';
import { targets } from './targets.js';

const FOLDER = import.meta.dirname;
const STRYKER = join(FOLDER, 'node_modules/@stryker-mutator/core/bin/stryker.js');
/** The share of changes that has to be noticed, without those that change nothing that a test could see. */
const REQUIRED = 0.9;
/** No test fails, or none runs the line. */
const UNNOTICED = ['Survived', 'NoCoverage'];

const names = process.argv.slice(2);
const unknown = names.filter((name) => !(name in targets));
if (unknown.length > 0) {
  process.stderr.write(
    `mutation: no target ${unknown.join(', ')}. There are ${Object.keys(targets).join(', ')}.\n`,
  );
  process.exit(2);
}
if (!existsSync(STRYKER))
  run('npm', ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error']);

setUp.useMemoryForFiles();
const { folderInMemory } = globalThis;
if (folderInMemory) process.on('exit', () => rmSync(folderInMemory, { recursive: true, maxRetries: 3 }));
const postgres = await sharePostgres();
const results = (names.length > 0 ? names : Object.keys(targets)).map((name) => {
  passUnchanged(targets[name].suites);
  run(process.execPath, [STRYKER, 'run', join(FOLDER, 'stryker.config.js')], { MUTATION_TARGET: name });
  return resultOf(name);
});
for (const { text } of results) process.stdout.write(text);
process.exitCode = results.every(({ share }) => share >= REQUIRED) ? 0 : 1;
await postgres?.stop();

/** Stryker kills a process whose suite takes too long, so PostgreSQL runs outside of it. */
async function sharePostgres() {
  const file = join('node_modules/.cache', 'postgres-server.mjs');
  const input = 'libs/database/src/testing/postgres-server.ts';
  await build({ input, platform: 'node', external: ['pg'], logLevel: 'warn', output: { file } });
  const { hasPostgres, PostgresServer } = await import(resolve(file));
  if (!hasPostgres()) return null;
  const server = await PostgresServer.create();
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_POSTGRES_DATA = server.newData;
  await server.start();
  return server;
}

/** Stryker says of a suite that fails without a change only that it does. */
function passUnchanged(suites) {
  const { status, stdout, stderr } = spawnSync('npx', ['jest', '--testRegex', ...suites], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(1);
}

/** What it prints is progress: a run takes minutes to hours. */
function run(program, args, environment = {}) {
  const { status } = spawnSync(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', process.stderr, process.stderr],
  });
  if (status !== 0) process.exit(1);
}

function resultOf(name) {
  const { files } = JSON.parse(readFileSync(join('coverage/mutation', `${name}.json`), 'utf8'));
  const regions = targets[name].equal ?? [];
  requireAll(regions, Object.values(files));
  let noticed = 0;
  let equal = 0;
  const survivors = [];
  for (const [file, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    const isEqual = equalLines(lines, regions);
    for (const { status, location, replacement } of mutants) {
      const index = location.start.line - 1;
      if (status === 'Killed' || status === 'Timeout') noticed++;
      else if (!UNNOTICED.includes(status)) continue;
      else if (isEqual(index)) equal++;
      else survivors.push(`  ${file}:${index + 1}: ${lines[index].trim()}\n    ${replacement}\n`);
    }
  }
  const share = noticed / (noticed + survivors.length);
  const percent = (share * 100).toFixed(1);
  const text = `${name}: ${noticed} noticed, ${survivors.length} not (${percent} %), ${equal} that change no result.\n`;
  return { share, text: text + survivors.join('') };
}

/** @throws Error when the code of a region is not there any more */
function requireAll(regions, files) {
  for (const [from, to] of regions)
    if (!files.some(({ source }) => source.includes(from) && source.includes(to)))
      throw new Error(`There is no "${from}" to "${to}" any more: see test/mutation/targets.js.`);
}

/** Whether a line is in one of these regions. */
function equalLines(lines, regions) {
  const places = regions.map(([from, to]) => {
    const first = lines.findIndex((line) => line.includes(from));
    return [first, lines.findIndex((line, index) => index >= first && line.includes(to))];
  });
  return (index) => places.some(([first, last]) => first >= 0 && index >= first && index <= last);
}
