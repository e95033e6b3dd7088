import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT, run } from './packed-client.js';

const APPLICATION = join(ROOT, 'test/packages/nest-application');
const NPM = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'] as const;

const LIBRARIES = readdirSync(join(ROOT, 'libs'));

/** The application that the README begins with. The test compiles it. */
function exampleOf(library: string): string {
  const text = readFileSync(join(ROOT, 'libs', library, 'README.md'), 'utf8');
  return /```ts\n(.*?)```/s.exec(text)![1]!;
}

export type ModuleKind = 'module' | 'commonjs';

/** The settings of the application: see nest-application/src/application.ts. */
export interface Settings {
  readonly adapter: 'express' | 'fastify' | 'fast-express';
  readonly redisUrl?: string;
  readonly versioning?: 'uri' | 'header';
  readonly globalPrefix?: string;
  readonly withGraphql?: boolean;
}

/** Plain Nest applications outside the repository that have installed the tarballs of the libraries. */
export class PlainNestApplications {
  private constructor(private readonly place: string) {}

  static async make(...kinds: ModuleKind[]): Promise<PlainNestApplications> {
    const place = mkdtempSync(join(tmpdir(), 'plain-nest-applications-'));
    const tarballs = join(place, 'tarballs');
    mkdirSync(tarballs);
    await run(ROOT, ['npm', 'run', 'libs:pack', '--', '--pack-destination', tarballs]);
    const files = readdirSync(tarballs).map((name) => join(tarballs, name));
    for (const kind of kinds) await install(join(place, kind), kind, files);
    return new PlainNestApplications(place);
  }

  start(kind: ModuleKind, settings: Settings): Promise<RunningApplication> {
    return RunningApplication.start(join(this.place, kind), settings);
  }

  remove(): void {
    rmSync(this.place, { recursive: true, force: true });
  }
}

async function install(folder: string, kind: ModuleKind, tarballs: readonly string[]): Promise<void> {
  cpSync(APPLICATION, folder, { recursive: true });
  for (const name of LIBRARIES) writeFileSync(join(folder, `src/${name}.readme.ts`), exampleOf(name));
  await run(folder, ['npm', 'ci', ...NPM]);
  await run(folder, ['npm', 'install', ...NPM, ...tarballs]);
  await run(folder, ['npm', 'pkg', 'set', `type=${kind}`]);
  // The compiler and the types of Node are those of the repository.
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'));
  await run(folder, [process.execPath, join(ROOT, 'node_modules/typescript/bin/tsc')]);
}

interface Started {
  readonly url: string;
  readonly tcpPort: number;
  readonly keys: Readonly<Record<string, string>>;
}

interface WebSocketClient {
  on(event: 'open' | 'error', listener: () => void): void;
  on(event: 'message', listener: (data: Buffer) => void): void;
  send(text: string): void;
  close(): void;
}

export class RunningApplication {
  private constructor(
    private readonly folder: string,
    private readonly process: ChildProcess,
    private readonly started: Started,
  ) {}

  static async start(folder: string, settings: Settings): Promise<RunningApplication> {
    const all = { redisUrl: '', versioning: 'uri', globalPrefix: '', withGraphql: false, ...settings };
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, ['out/application.js'], {
      cwd: folder,
      env: { PATH, HOME, SETTINGS: JSON.stringify(all) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (text: Buffer) => (errors += text.toString()));
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith('{')) return new RunningApplication(folder, child, JSON.parse(line) as Started);
      errors += `${line}\n`;
    }
    throw new Error(`The application did not start.\n${errors}`);
  }

  fetch(path: string, key?: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (key !== undefined) headers.set('Authorization', `Bearer ${this.started.keys[key] ?? key}`);
    return fetch(`${this.started.url}${path}`, { ...init, headers });
  }

  /** What the gateway says to a message. */
  async say(event: string): Promise<unknown> {
    const { WebSocket } = createRequire(join(this.folder, 'index.js'))('ws') as {
      WebSocket: new (url: string) => WebSocketClient;
    };
    const client = new WebSocket(`${this.started.url.replace('http', 'ws')}/socket`);
    try {
      return await new Promise((resolve, reject) => {
        client.on('error', () => reject(new Error('The socket failed.')));
        client.on('message', (data) => resolve(JSON.parse(data.toString())));
        client.on('open', () => client.send(JSON.stringify({ event })));
      });
    } finally {
      client.close();
    }
  }

  /** What the microservice says to a message, in the format of Nest's TCP transport. */
  async ask(pattern: string): Promise<{ response?: unknown; err?: unknown }> {
    const socket = connect(this.started.tcpPort, '127.0.0.1');
    socket.on('error', () => {});
    try {
      const message = JSON.stringify({ pattern, data: '', id: '1' });
      socket.write(`${message.length}#${message}`);
      const [data] = (await once(socket, 'data')) as [Buffer];
      const text = data.toString();
      return JSON.parse(text.slice(text.indexOf('#') + 1)) as { response?: unknown; err?: unknown };
    } finally {
      socket.destroy();
    }
  }

  async stop(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const exited = once(this.process, 'exit');
    this.process.kill('SIGTERM');
    await exited;
  }
}
