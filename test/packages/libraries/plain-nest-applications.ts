import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
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
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '@animal-store/kernel/testing';
import { type Printed, ROOT, run } from '../packed-client.js';

const APPLICATION = join(ROOT, 'test/packages/nest-application');
const COMPILER = 'node_modules/typescript/bin/tsc';
const NPM = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'] as const;

/** The published libraries. */
export const LIBRARIES = readdirSync(join(ROOT, 'libs')).filter((name) => {
  const text = readFileSync(join(ROOT, 'libs', name, 'package.json'), 'utf8');
  return (JSON.parse(text) as { private?: boolean }).private !== true;
});

/** The programs in the README of a library, or in a section of it. */
export function programsOf(library: string, section = ''): string[] {
  const text = readFileSync(join(ROOT, 'libs', library, 'README.md'), 'utf8');
  const part = section && text.slice(text.indexOf(`\n## ${section}\n`));
  return [...(part || text).matchAll(/```ts\n(.*?)```/gs)].map(([, program]) => program!);
}

/** What the package.json of a library lets others import without further packages. */
export function facesOf(library: string): string[] {
  const text = readFileSync(join(ROOT, 'libs', library, 'package.json'), 'utf8');
  return Object.keys((JSON.parse(text) as { exports: object }).exports)
    .filter((face) => !['./contract', './testing', './typeorm', './package.json'].includes(face))
    .map((face) => join('@animal-store', library, face));
}

/** A program of a README, with the change that it names. */
export function onFastify(program: string): string {
  const changed = program.replace(
    'NestFactory.create(AppModule)',
    'NestFactory.create(AppModule, new FastifyAdapter())',
  );
  if (changed === program) throw new Error('The program creates no application in this way.');
  return `import { FastifyAdapter } from '@nestjs/platform-fastify';\n${changed}`;
}

export type ModuleKind = 'module' | 'commonjs';
/** The packages of each, and their lock, are in a folder of `nest-application`. */
export type NestVersion = 'nest-12' | 'nest-11' | 'nest-11.0';

/** The settings of the application. */
export interface Settings {
  readonly adapter: 'express' | 'fastify' | 'fast-express';
  readonly redisUrl?: string;
  readonly withoutFallback?: boolean;
  readonly versioning?: 'uri' | 'header';
  readonly globalPrefix?: string;
  readonly databaseUrl?: string;
}

/** A folder outside the repository with a version of Nest and the tarballs of the libraries, and applications in it. */
export class PlainNestApplications {
  private constructor(readonly folder: string) {}

  static async install(version: NestVersion): Promise<PlainNestApplications> {
    const folder = mkdtempSync(join(tmpdir(), `plain-${version}-`));
    cpSync(join(APPLICATION, version), folder, { recursive: true });
    const tarballs = process.env.LIBRARY_TARBALLS!;
    const files = readdirSync(tarballs).map((name) => join(tarballs, name));
    await run(folder, ['npm', 'install', ...NPM, ...files]);
    const types = join(folder, 'node_modules/@types/node');
    if (!existsSync(types)) {
      mkdirSync(join(types, '..'), { recursive: true });
      symlinkSync(join(ROOT, 'node_modules/@types/node'), types);
    }
    const applications = new PlainNestApplications(folder);
    applications.link('typeorm', 'better-sqlite3', 'fast-check', 'pg');
    return applications;
  }

  /** Compiles the application that uses every library, and the programs that the READMEs begin with. */
  async compile(kind: ModuleKind): Promise<void> {
    for (const path of ['src', 'tsconfig.json'])
      cpSync(join(APPLICATION, path), join(this.folder, kind, path), { recursive: true });
    for (const name of LIBRARIES) this.write(`${kind}/src/${name}.readme.ts`, programsOf(name)[0]!);
    this.write(`${kind}/src/idempotency.readme.fastify.ts`, onFastify(programsOf('idempotency')[0]!));
    // The packages that it needs do not install with the first Nest 11.
    if (!existsSync(join(this.folder, 'node_modules/@nestjs/swagger')))
      rmSync(join(this.folder, kind, 'src/extended.main.ts'));
    this.write(`${kind}/package.json`, JSON.stringify({ type: kind }));
    await this.runCompiler(kind);
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.folder, path, '..'), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Runs a program of Node in a folder of an application. */
  run(folder: string, file: string, ...words: string[]): Promise<Printed> {
    return run(join(this.folder, folder), [process.execPath, file, ...words]);
  }

  /** With the compiler of these applications, or else the one of the repository. */
  runCompiler(folder: string, ...words: string[]): Promise<Printed> {
    const place = [this.folder, ROOT].find((one) => existsSync(join(one, COMPILER)))!;
    return this.run(folder, join(place, COMPILER), ...words);
  }

  /** Adds packages of this repository, such as one that is compiled when it is installed. */
  private link(...names: string[]): void {
    for (const name of names) {
      const place = join(this.folder, 'node_modules', name);
      if (!existsSync(place)) symlinkSync(join(ROOT, 'node_modules', name), place);
    }
  }

  /** Makes an application as `nest new` does, which uses the packages that are installed here. */
  async makeNew(): Promise<void> {
    const words = ['new', 'new', '--skip-install', '--skip-git', '--package-manager', 'npm'];
    await this.run('.', join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js'), ...words);
    cpSync(join(APPLICATION, 'new'), join(this.folder, 'new'), { recursive: true });
  }

  start(kind: ModuleKind, settings: Settings, program = 'main'): Promise<RunningApplication> {
    return RunningApplication.start(join(this.folder, kind), program, settings);
  }

  /** Starts a program of a README, which listens on `PORT`. */
  async startProgram(folder: string, file: string): Promise<RunningProgram> {
    const port = await freePort();
    const child = spawn(process.execPath, [file], {
      cwd: join(this.folder, folder),
      env: { PATH: process.env.PATH, PORT: String(port), NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const url = `http://127.0.0.1:${port}`;
    while (child.exitCode === null && !(await fetch(url).catch(() => null))) await delay(50);
    const stop = async () => {
      child.kill();
      await exited;
    };
    return { url, stdout: child.stdout, stop };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface RunningProgram {
  readonly url: string;
  readonly stdout: Readable;
  readonly stop: () => Promise<void>;
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
    private readonly said: readonly string[],
  ) {}

  static async start(folder: string, program: string, settings: Settings): Promise<RunningApplication> {
    const all = { redisUrl: '', versioning: 'uri', globalPrefix: '', databaseUrl: '', ...settings };
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [`out/${program}.js`], {
      cwd: folder,
      env: { PATH, HOME, SETTINGS: JSON.stringify(all) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const said: string[] = [];
    child.stderr.on('data', (text: Buffer) => said.push(text.toString()));
    for await (const line of createInterface(child.stdout)) {
      if (line.startsWith('{'))
        return new RunningApplication(folder, child, JSON.parse(line) as Started, said);
      said.push(`${line}\n`);
    }
    throw new Error(`The application did not start.\n${said.join('')}`);
  }

  /** What it has written to the terminal, until it was ready to stdout, and since to stderr. */
  get output(): string {
    return this.said.join('');
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
  async message(pattern: string): Promise<{ response?: unknown; err?: unknown }> {
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
