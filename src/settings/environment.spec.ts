import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileThatSets, readEnvironment, unknownSettings } from './environment.js';
import { InvalidSettings } from './settings.js';

const ROOT = resolve(__dirname, '../..');

const folder = mkdtempSync(join(tmpdir(), 'environment-'));
const file = join(folder, '.env');

afterAll(() => rmSync(folder, { recursive: true }));

describe('readEnvironment', () => {
  it('adds the settings of the file; the environment takes precedence', () => {
    writeFileSync(file, '# where to listen\nPORT=8080\nHOST="0.0.0.0"\n');

    expect(readEnvironment({ PORT: '9090' }, file)).toEqual({ PORT: '9090', HOST: '0.0.0.0' });
  });

  it('needs no file', () => {
    expect(readEnvironment({ PORT: '9090' }, join(folder, 'absent'))).toEqual({ PORT: '9090' });
  });

  it('says when the file cannot be read, such as a folder that was mounted in its place', () => {
    expect(() => readEnvironment({}, folder)).toThrow(
      new InvalidSettings([`${folder} cannot be read: EISDIR: illegal operation on a directory, read`]),
    );
  });
});

describe('fileThatSets', () => {
  it('names the file only where its value is the one that is used', () => {
    writeFileSync(file, 'PORT=8080\nHOST=\n');

    expect(fileThatSets('PORT', {}, file)).toBe(file);
    expect(fileThatSets('PORT', { PORT: '9090' }, file)).toBeNull();
    expect(fileThatSets('HOST', {}, file)).toBeNull();
    expect(fileThatSets('REDIS_URL', {}, file)).toBeNull();
    expect(fileThatSets('PORT', {}, join(folder, 'absent'))).toBeNull();
  });
});

describe('unknownSettings', () => {
  it('names each variable that is no setting, the nearest one that is, and no value', () => {
    writeFileSync(file, 'PORT=8080\nPROT=9090\nDATABSE_URL=postgres://user:hunter2@host/db\nCOLOUR=red\n');
    expect(unknownSettings({}, file)).toEqual([
      `${file} has COLOUR, which is no setting and is ignored.`,
      `${file} has DATABSE_URL, which is no setting and is ignored. Is DATABASE_URL meant?`,
      `${file} has PROT, which is no setting and is ignored. Is PORT meant?`,
    ]);
  });

  it('names what looks like a misspelt setting in the environment, each name once', () => {
    writeFileSync(file, 'FREE_PER_MINIUTE=5\n');
    const environment = { FREE_PER_MINIUTE: '5', DATABASE_URI: 'x', LOGLEVEL: 'warn', port: '1', HOSTT: 'x' };
    expect(unknownSettings(environment, file)).toEqual([
      `${file} has FREE_PER_MINIUTE, which is no setting and is ignored. Is FREE_PER_MINUTE meant?`,
      'The environment has DATABASE_URI, which is no setting and is ignored. Is DATABASE_URL meant?',
      'The environment has LOGLEVEL, which is no setting and is ignored. Is LOG_LEVEL meant?',
      'The environment has port, which is no setting and is ignored. Is PORT meant?',
      'The environment has HOSTT, which is no setting and is ignored. Is HOST meant?',
    ]);
  });

  it('has nothing to say about what else an environment has', () => {
    const names =
      'HOME PATH PWD HOSTNAME LANG TERM PGPORT PGHOST PGUSER REDIS_PORT POSTGRES_PORT LOGNAME NODE_OPTIONS npm_config_port';
    const environment = Object.fromEntries(names.split(' ').map((name) => [name, 'x']));
    expect(unknownSettings({ ...environment, PORT: '1', NODE_ENV: 'test' }, join(folder, 'absent'))).toEqual(
      [],
    );
  });

  it('has nothing to say about .env.example, or where there is no file', () => {
    expect(unknownSettings({}, join(ROOT, '.env.example'))).toEqual([]);
    expect(unknownSettings({}, join(folder, 'absent'))).toEqual([]);
  });

  it('knows what Docker Compose reads from the same file', () => {
    const compose = readFileSync(join(ROOT, 'compose.yaml'), 'utf8');
    const image = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
    const names = [...compose.matchAll(/\$\{(\w+)/g), ...image.matchAll(/^ARG (\w+)/gm)].map(
      ([, name]) => name!,
    );
    expect(names.length).toBeGreaterThan(4);
    writeFileSync(file, names.map((name) => `${name}=x\n`).join(''));
    expect(unknownSettings({}, file)).toEqual([]);
  });
});
