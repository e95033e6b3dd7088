// `npm run build`: compiles the service, bundles its programs, and makes what its pages load. Words name the parts to
// make unless they are current; without any, the programs are made anyway.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { commitOfBuild } from './commit.mjs';
import { folderBeside, isCurrent, publish } from './publish.mjs';
import { canBuild, fingerprintOf, PARTS } from './sources.mjs';

const PROGRAMS = {
  main: 'src/main.js',
  keys: 'src/programs/keys/keys.main.js',
  jobs: 'src/programs/jobs/jobs.main.js',
  'migrate-data': 'src/programs/migrate-data/migrate-data.main.js',
};
const MAKE = { programs: makePrograms, assets: makeAssets };

const startedMs = performance.now();
if (!canBuild()) {
  process.stderr.write('What builds the service is not installed: run "npm ci".\n');
  process.exit(1);
}
const words = process.argv.slice(2);
const needed = PARTS.map((part) => ({ part, sources: fingerprintOf(part) })).filter(
  ({ part, sources }) =>
    (words.length === 0 && part === 'programs') ||
    ((words.length === 0 || words.includes(part)) && !isCurrent(part, sources)),
);
if (needed.length > 0) {
  // The parts are made concurrently, on all cores.
  const made = needed.map(async ({ part, sources }) => {
    const folder = folderBeside(part);
    await MAKE[part](folder);
    return { part, folder, sources };
  });
  for (const { part, folder, sources } of await Promise.all(made)) publish(part, folder, sources);
  linkLibraries();
  say(`Built in ${((performance.now() - startedMs) / 1000).toFixed(1)} s.`);
}

async function makePrograms(folder) {
  say('Compiling the service …');
  const settings = JSON.parse(readFileSync('nest-cli.json', 'utf8'));
  Object.assign(settings.compilerOptions.builder.options, { outDir: folder, quiet: true });
  const config = join(folder, 'nest-cli.json');
  writeFileSync(config, JSON.stringify(settings));
  await run('node_modules/@nestjs/cli/bin/nest.js', 'build', '--config', config, '--silent');
  rmSync(config);
  say('Bundling the programs …');
  const { bundle } = await import('./bundle.mjs');
  const programs = Object.entries(PROGRAMS).map(([name, file]) => [name, join(folder, file)]);
  await bundle({ compiled: folder, to: folder, programs: Object.fromEntries(programs) });
  writeFileSync(join(folder, 'commit.txt'), commitOfBuild());
}

async function makeAssets(folder) {
  say('Making what the pages load …');
  const assets = await import('./assets.mjs');
  await assets.makeAssets(join(folder, 'assets'));
}

/**
 * The build also compiles the libraries. It is linked as the `dist` of each package, so Node finds a library by its
 * name, as in an application that has installed it.
 */
function linkLibraries() {
  for (const name of readdirSync('libs')) {
    const [link, built] = [resolve('libs', name, 'dist'), resolve('dist/libs', name, 'src')];
    // On Windows only junctions need no special rights. Their paths are absolute.
    const isWindows = process.platform === 'win32';
    const target = isWindows ? built : relative(resolve(link, '..'), built);
    if (targetOf(link) === target) continue;
    const next = `${link}.next`;
    symlinkSync(target, next, isWindows ? 'junction' : undefined);
    renameSync(next, link);
  }
}

function targetOf(link) {
  try {
    return readlinkSync(link);
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return null;
  }
}

async function run(...command) {
  const child = spawn(process.execPath, command, { stdio: ['ignore', 2, 2] });
  const [status] = await once(child, 'exit');
  if (status !== 0) process.exit(1);
}

function say(line) {
  process.stderr.write(`${line}\n`);
}
