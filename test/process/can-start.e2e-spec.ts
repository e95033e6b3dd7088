import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const SCRIPT = resolve('scripts/can-start.mjs');
const { scripts: SCRIPTS } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  scripts: Readonly<Record<string, string>>;
};

/** A module that makes Node say that it is another version. */
function preload(version: string): string {
  return `data:text/javascript,
    Object.defineProperty(process.versions, 'node', { value: '${version}' });
    Object.defineProperty(process, 'version', { value: 'v${version}' });`;
}

describe('Before a start', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'can-start-'));
    writeFileSync(join(folder, 'package.json'), '{ "engines": { "node": ">=20.19" } }');
    mkdirSync(join(folder, 'node_modules'));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  /** As a version of Node would say it. */
  function start(version: string, ...words: string[]) {
    const { status, stderr } = spawnSync(process.execPath, ['--import', preload(version), SCRIPT, ...words], {
      cwd: folder,
      env: { ...process.env, DATABASE_URL: undefined },
      encoding: 'utf8',
    });
    return { status, stderr };
  }

  it.each(['18.20.4', '20.18.3'])('one line says that Node %s is too old', (version) => {
    expect(start(version)).toEqual({
      status: 1,
      stderr: `Node 20.19 or later is needed, and this is v${version}: install a later one.\n`,
    });
  });

  it.each([
    ...'start,start:dev,start:prod,demo,keys,jobs,migrate-data,build,context,test,test:unit,test:packages'.split(
      ',',
    ),
    ...'openapi:accept,typecheck,dev'.split(','),
  ])('so does npm run %s', (name) => {
    const node = join(folder, 'node');
    writeFileSync(node, `#!/bin/sh\nexec '${process.execPath}' --import "${preload('18.20.4')}" "$@"\n`);
    chmodSync(node, 0o755);
    const [command] = SCRIPTS[name]!.split(' && ');
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command!], {
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    expect({ status, output: stdout + stderr }).toEqual({
      status: 1,
      output: 'Node 20.19 or later is needed, and this is v18.20.4: install a later one.\n',
    });
  });

  it.each(['20.19.0', '22.0.0', '24.18.0', '24.21.0'])('nothing is wrong with Node %s', (version) => {
    expect(start(version)).toEqual({ status: 0, stderr: '' });
  });

  it('one line says that better-sqlite3 aborts when its objects are collected, as on Node 24', () => {
    mkdirSync(join(folder, 'node_modules/better-sqlite3'));
    writeFileSync(
      join(folder, 'node_modules/better-sqlite3/index.js'),
      `module.exports = class { prepare() { process.kill(process.pid, 'SIGABRT'); } };`,
    );

    expect(start('22.0.0')).toEqual({ status: 0, stderr: '' });
    expect(start('24.19.0')).toEqual({
      status: 1,
      stderr:
        'Node v24.19.0 ends every process that uses this build of better-sqlite3 (nodejs/node#65446): ' +
        'install Node 24.18 or 22, and run "npm rebuild better-sqlite3".\n',
    });
    expect(start('24.18.0')).toEqual({
      status: 1,
      stderr:
        'Node v24.18.0 ends every process that uses this build of better-sqlite3 (nodejs/node#65446): ' +
        'run "npm rebuild better-sqlite3".\n',
    });

    // A build may be for a server elsewhere.
    expect(start('24.19.0', '--to-build')).toEqual({ status: 0, stderr: '' });

    writeFileSync(join(folder, '.env'), 'PORT=3000\nDATABASE_URL="postgres://store@db/store"\n');
    expect(start('24.19.0')).toEqual({ status: 0, stderr: '' });
  });

  it('one line says that the packages are missing, or the build of a server', () => {
    expect(start('20.19.0', '--built')).toEqual({
      status: 1,
      stderr: 'The service is not built: run "npm run build", or "npm start", which builds it.\n',
    });

    rmSync(join(folder, 'node_modules'), { recursive: true });
    expect(start('20.19.0')).toEqual({
      status: 1,
      stderr: 'The packages are not installed: run "npm ci".\n',
    });
  });
});
