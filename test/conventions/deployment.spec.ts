import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseEnv } from 'node:util';
import { load, loadAll } from 'js-yaml';
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

interface Compose {
  readonly services: {
    readonly store: {
      readonly init: boolean;
      readonly healthcheck: { readonly test: readonly string[] };
      readonly ports: readonly string[];
      readonly env_file?: readonly { readonly path: string; readonly required: boolean }[];
      readonly environment: Readonly<Record<string, string>>;
    };
  };
}

const { store } = (load(readFileSync(join(ROOT, 'compose.yaml'), 'utf8')) as Compose).services;
const manifests = loadAll(readFileSync(join(ROOT, 'ops/kubernetes/animal-store.yaml'), 'utf8')) as Manifest[];
const manifestOf = <T>(kind: string) => manifests.find((manifest) => manifest.kind === kind) as unknown as T;

/** A model of a kind of the Kubernetes API, which validates against the schema that Kubernetes publishes. */
type Model = new (manifest: Manifest) => { validate(): void };

describe('The Kubernetes manifests', () => {
  function settings() {
    const { data } = manifestOf<Manifest>('ConfigMap');
    const { stringData } = manifestOf<Manifest>('Secret');
    return loadSettings({ ...data, ...stringData });
  }

  function pod() {
    const { spec } = manifestOf<{
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
    const names = [
      manifestOf<Manifest>('ConfigMap').data!,
      manifestOf<Manifest>('Secret').stringData!,
    ].flatMap(Object.keys);
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
  ['animal-store-live@.service', 'animal-store-live@3000.service'],
  ['animal-store-live@.timer', 'animal-store-live@3000.timer'],
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
});

describe.each(['animal-store.service', 'animal-store@.service'])('The systemd unit %s', (name) => {
  const unit = readFileSync(join(ROOT, 'ops/systemd', name), 'utf8');

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

describe('compose.yaml', () => {
  /** What Compose itself puts into a value, from `.env` too. */
  const filledIn = Object.entries(store.environment).map(([name, value]) => [
    name,
    value.replace(/\$\{POSTGRES_PASSWORD[^}]*\}/, 'hunter2'),
  ]);

  /** The environment of the service where `.env` has these lines: what is in the file itself comes first. */
  function inContainer(dotEnv: string): NodeJS.ProcessEnv {
    const files = (store.env_file ?? []).map(({ path }) => path);
    return {
      ...(files.includes('.env') ? parseEnv(dotEnv) : {}),
      ...(Object.fromEntries(filledIn) as object),
    };
  }

  it('passes every setting in .env to the service, but those that it sets itself', () => {
    const given = inContainer(SETTING_NAMES.map((name) => `${name}=from .env\n`).join(''));
    const ignored = SETTING_NAMES.filter((name) => given[name] !== 'from .env');
    expect(ignored.sort()).toEqual(['DATABASE_URL', 'HOST', 'NODE_ENV', 'PORT', 'REDIS_URL']);
  });

  it('needs no .env, and runs a server in production with a copy of .env.example', () => {
    expect(store.env_file).toEqual([{ path: '.env', required: false }]);
    for (const text of ['', readFileSync(join(ROOT, '.env.example'), 'utf8')]) {
      expect(loadSettings(inContainer(text))).toMatchObject({
        mode: 'production',
        server: { host: '0.0.0.0', port: 3_000 },
        database: { kind: 'postgres', url: 'postgres://store:hunter2@postgres:5432/store' },
        redis: { url: 'redis://redis:6379' },
      });
    }
  });
});

describe('What ends a server that hangs', () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) {
      server.close();
      server.closeAllConnections();
    }
  });

  /** The port of a server that hangs, of one that responds, or of none. */
  async function portOf(kind: 'hangs' | 'responds' | 'is not there'): Promise<number> {
    const server = createServer((_, response) => void (kind === 'responds' && response.end('{}')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    if (kind === 'is not there') await once(server.close(), 'close');
    else servers.push(server);
    return port;
  }

  async function printedBy(
    command: string,
    args: readonly string[],
    env?: NodeJS.ProcessEnv,
  ): Promise<string> {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [printed] = await Promise.all([text(child.stdout), once(child, 'close')]);
    return printed.trim();
  }

  const KINDS = ['hangs', 'responds', 'is not there'] as const;

  it.each(KINDS)('in compose.yaml: a server that %s', async (kind) => {
    const [, command, flag, program] = store.healthcheck.test as readonly [string, string, string, string];
    const short = program
      .replace(':3000', `:${await portOf(kind)}`)
      .replace('30_000', kind === 'hangs' ? '300' : '10_000');
    expect([store.init, command, flag, short === program]).toEqual([true, 'node', '--eval', false]);
    // Here it would end everything.
    const harmless = 'data:text/javascript,process.kill = (...all) => console.log(all.join())';
    const printed = await printedBy(process.execPath, ['--import', harmless, flag, short]);
    expect(printed).toBe(kind === 'hangs' ? '-1,SIGKILL' : '');
  });

  it.each(KINDS)('in systemd: a server that %s', async (kind) => {
    const unit = readFileSync(join(ROOT, 'ops/systemd/animal-store-live@.service'), 'utf8');
    const port = await portOf(kind);
    const command = /^ExecStart=\/bin\/sh -c '(.*)'$/m
      .exec(unit)![1]!
      .replaceAll('%i', String(port))
      .replaceAll('$$', '$')
      .replace('--max-time 10 --retry 2', '--max-time 0.3');
    expect(command).toContain('--max-time 0.3');
    const folder = mkdtempSync(join(tmpdir(), 'systemctl-'));
    writeFileSync(join(folder, 'systemctl'), '#!/bin/sh\necho "$@"\n', { mode: 0o700 });
    const printed = await printedBy('/bin/sh', ['-c', command], { PATH: `${folder}:${process.env['PATH']}` });
    rmSync(folder, { recursive: true });
    const kill = `kill --signal=SIGKILL animal-store@${port}.service animal-store.service`;
    expect(printed).toBe(kind === 'hangs' ? kill : '');
  });
});

describe('What the service talks to', () => {
  interface Rule {
    readonly from?: unknown;
    readonly to?: readonly {
      readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
    }[];
    readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  }

  /** The one list: the ports in the guide for operators. */
  const page = readFileSync(join(ROOT, 'docs/operating/install.md'), 'utf8');
  const listed = [...page.matchAll(/^- (in|out) (\d+), (TCP|UDP|TCP and UDP):/gm)].flatMap(
    ([, way, port, protocols]) => protocols!.split(' and ').map((protocol) => `${way} ${protocol} ${port}`),
  );
  const { spec: policy } = manifestOf<{ spec: { ingress: Rule[]; egress: Rule[] } }>('NetworkPolicy');
  const portsOf = (rules: readonly Rule[], way: string) =>
    rules.flatMap(({ ports }) => ports.map(({ port, protocol }) => `${way} ${protocol} ${port}`));

  it('is what the NetworkPolicy lets in and out, and nothing else', () => {
    expect(listed.length).toBeGreaterThan(0);
    expect([...portsOf(policy.ingress, 'in'), ...portsOf(policy.egress, 'out')].sort()).toEqual(
      listed.sort(),
    );
  });

  it('has the ports that are the defaults of the service, and those of compose.yaml', () => {
    const { server, database, redis } = loadSettings({
      DATABASE_URL: 'postgres://store@db/store',
      REDIS_URL: 'redis+sentinel://s1/primary',
    });
    expect(listed).toContain(`in TCP ${server.port}`);
    expect([database.kind, redis?.url]).toEqual(['postgres', 'redis+sentinel://s1/primary']);
    expect(store.ports).toEqual(['127.0.0.1:3000-3009:3000']);
    const targets = ['DATABASE_URL', 'REDIS_URL'].map((name) => {
      const url = store.environment[name]!.replace(/\$\{[^}]*\}/, 'x');
      return `out TCP ${new URL(url).port}`;
    });
    expect(listed).toEqual(expect.arrayContaining(targets));
  });

  it.each(['animal-store.service', 'animal-store@.service'])('%s restricts none of it', (name) => {
    const unit = readFileSync(join(ROOT, 'ops/systemd', name), 'utf8');
    expect(unit).toMatch(/^RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX$/m);
    expect(unit).not.toMatch(/^(IPAddress|SocketBind|RestrictNetworkInterfaces|PrivateNetwork)/m);
  });

  it('are, for webhooks, the addresses that the service itself treats as public', () => {
    const source = readFileSync(join(ROOT, 'libs/web/src/outgoing/public-address.ts'), 'utf8');
    const special = [...source.matchAll(/^  \['(.+)', (\d+)\],/gm)].map(
      ([, network, bits]) => `${network}/${bits}`,
    );
    const [, global, bits] = /GLOBAL_IPV6.* = \['(.+)', (\d+)\]/.exec(source)!;
    const blocks = policy.egress
      .filter(({ ports }) => ports.some(({ port }) => port === 443 || port === 80))
      .flatMap(({ to }) => to!.map(({ ipBlock }) => ipBlock!));

    expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', `${global}/${bits}`]);
    expect(blocks.flatMap(({ except }) => except!)).toEqual(special);
    expect(special.length).toBeGreaterThan(10);
  });
});

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly strategy?: { readonly matrix: { readonly part: readonly string[] } };
  readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
}

describe('The workflows of GitHub', () => {
  const folder = join(ROOT, '.github/workflows');
  const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  const workflows = texts.map((text) => load(text) as { jobs: Record<string, Job>; permissions: object });
  const jobs = workflows.flatMap((workflow) => Object.values(workflow.jobs));

  it('name every action by its digest, with its version beside it', () => {
    const uses = texts.flatMap((text) => text.match(/uses: .*/g) ?? []);

    expect(uses.filter((line) => !/^uses: [\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
    expect(uses.length).toBeGreaterThan(3);
  });

  it('may only read, but for the jobs that publish, which have nothing of this repository', () => {
    expect(workflows.map(({ permissions }) => permissions)).toEqual(texts.map(() => ({ contents: 'read' })));
    const trusted = jobs.filter(({ permissions }) => permissions);

    expect(trusted.map(({ permissions }) => permissions)).toEqual([
      { contents: 'write', packages: 'write' },
      { 'id-token': 'write' },
    ]);
    const steps = trusted.flatMap((job) => job.steps);
    expect(
      steps.filter(({ uses, run = '' }) => uses?.includes('checkout') || /\b(node|npm (ci|run))\b/.test(run)),
    ).toEqual([]);
  });

  it('run every part of .ci/run', () => {
    const script = readFileSync(join(ROOT, '.ci/run'), 'utf8');
    const parts = [...script.matchAll(/^(\w+)\(\) \{$/gm)].map(([, name]) => name!);

    expect(jobs.flatMap(({ strategy }) => strategy?.matrix.part ?? []).sort()).toEqual(parts.sort());
  });
});
