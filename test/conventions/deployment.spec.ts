import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { longestShutdownMs } from '@animal-store/operations';
import { unknownSettings } from '../../src/settings/environment.js';
import { loadSettings, SETTING_NAMES } from '../../src/settings/settings.js';
import { hasSystemd } from '../support/systemd.js';

const ROOT = resolve(__dirname, '../..');
const TOOLS = join(ROOT, 'test/tools');
const requireTool = createRequire(join(TOOLS, 'package.json'));
/** Only CI must have them: `npm ci --prefix test/tools`. */
const hasTools = existsSync(join(TOOLS, 'node_modules')) || process.env['CI'];

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly stringData?: Readonly<Record<string, string>>;
}

interface Container {
  readonly startupProbe: { readonly periodSeconds: number; readonly failureThreshold: number };
}

/** A model of a kind of the Kubernetes API, which validates against the schema that Kubernetes publishes. */
type Model = new (manifest: Manifest) => { validate(): void };

describe('The Kubernetes manifests', () => {
  const text = readFileSync(join(ROOT, 'ops/kubernetes/animal-store.yaml'), 'utf8');
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as Manifest);
  const of = <T>(kind: string) => manifests.find((manifest) => manifest.kind === kind) as unknown as T;

  function settings() {
    const { data } = of<Manifest>('ConfigMap');
    const { stringData } = of<Manifest>('Secret');
    return loadSettings({ ...data, ...stringData });
  }

  function pod() {
    const { spec } = of<{
      spec: { template: { spec: { terminationGracePeriodSeconds: number; containers: Container[] } } };
    }>('Deployment');
    return spec.template.spec;
  }

  function modelOf({ apiVersion, kind }: Manifest): Model {
    const models = requireTool(`kubernetes-models/${apiVersion}/${kind}`) as Record<string, Model>;
    return models[kind]!;
  }

  (hasTools ? it : it.skip).each(manifests)(
    '$kind is what the published schema of Kubernetes allows',
    (manifest) => {
      const Kind = modelOf(manifest);
      expect(() => new Kind(manifest).validate()).not.toThrow();
    },
  );

  it('have settings that the service knows and accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'manifests-'));
    const file = join(folder, '.env');
    const names = [of<Manifest>('ConfigMap').data!, of<Manifest>('Secret').stringData!].flatMap(Object.keys);
    writeFileSync(file, names.map((name) => `${name}=x\n`).join(''));
    expect(unknownSettings({}, file)).toEqual([]);
    rmSync(folder, { recursive: true });
    expect(settings()).toMatchObject({ mode: 'production', database: { kind: 'postgres' } });
  });

  it('give a replica the time that it takes to migrate, and to shut down', () => {
    const { startupProbe } = pod().containers[0]!;
    const { server, database } = settings();
    const { migrationTimeoutMs } = database as unknown as { migrationTimeoutMs: number };
    const patienceMs = startupProbe.periodSeconds * startupProbe.failureThreshold * 1_000;
    expect(patienceMs).toBeGreaterThan(migrationTimeoutMs);
    const shutdownMs = longestShutdownMs(server.shutdownDelayMs, server.shutdownGraceMs);
    expect(pod().terminationGracePeriodSeconds * 1_000).toBeGreaterThan(shutdownMs);
  });
});

describe.each([
  ['animal-store.service', 'animal-store.service'],
  ['animal-store@.service', 'animal-store@9464.service'],
])('The systemd unit %s', (name, instance) => {
  const unit = readFileSync(join(ROOT, 'ops/systemd', name), 'utf8');

  (hasSystemd() ? it : it.skip)('is one that systemd accepts', () => {
    const folder = mkdtempSync(join(tmpdir(), 'unit-'));
    const file = join(folder, instance);
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
      encoding: 'utf8',
    });
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('gives a server the time that it takes to shut down, and settings that it knows', () => {
    const values = (key: string) =>
      [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value]) => value!);
    const names = values('Environment').flatMap((line) => line.split(' ').map((one) => one.split('=')[0]));
    expect(SETTING_NAMES).toEqual(expect.arrayContaining(names));
    const { shutdownDelayMs, shutdownGraceMs } = loadSettings({}).server;
    const stopMs = Number(values('TimeoutStopSec')[0]) * 1_000;
    expect(stopMs).toBeGreaterThan(longestShutdownMs(shutdownDelayMs, shutdownGraceMs));
  });
});

describe('The image', () => {
  it('copies only what its context has', () => {
    const lines = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n');
    const allowed = lines('.dockerignore').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
    const copied = lines('Dockerfile')
      .filter((line) => /^COPY (?!--from)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1));

    expect(copied).toContain('scripts/build');
    const isAllowed = (path: string) => allowed.some((one) => path === one || path.startsWith(`${one}/`));
    expect(copied.filter((path) => !isAllowed(path))).toEqual([]);
  });
});
