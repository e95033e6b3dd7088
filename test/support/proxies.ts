import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { Agent, request, type RequestOptions } from 'node:https';
import { join, resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { freePort } from '@animal-store/kernel/testing';
import { within } from './server-process.js';

const FOLDER = resolve(__dirname, '../../ops/proxy');
const LIMIT_MS = 60_000;

const PROGRAMS = [
  ['nginx', '-v'],
  ['caddy', 'version'],
  ['openssl', 'version'],
] as const;
/** nginx, Caddy and what makes their certificate. In CI a missing one must fail the tests. */
export const hasProxies =
  PROGRAMS.every(([name, word]) => spawnSync(name, [word]).status === 0) || process.env['CI'] !== undefined;

export interface ProxyParts {
  readonly folder: string;
  readonly port: number;
  /** `127.0.0.1:3000` and `127.0.0.1:3001` in the files. */
  readonly replicas: readonly string[];
  /** Whether the service is at `/store`, as the comments in the files say. */
  readonly isBelowPath?: boolean;
}

/** A line that is a comment until the service is below a path. */
const COMMENTED_PATH = /^(\s*)# (?=(location|uri).* \/store)/gm;

/** nginx with the file of this folder, but for its ports, its certificate and what needs root. */
export function nginxCommand({ folder, port, ...parts }: ProxyParts): string[] {
  const certificate = ['-keyout', `${folder}/animal-store.key`, '-out', `${folder}/animal-store.pem`];
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  execFileSync('openssl', [...words, '-days', '2', '-subj', '/CN=localhost', ...certificate]);
  const server = adapted('nginx.conf', parts)
    .replace('listen 8443', `listen 127.0.0.1:${port}`)
    .replaceAll('/etc/ssl', folder);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const paths = folders.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ');
  const main = `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}`;
  writeFileSync(`${folder}/main.conf`, `${main} http { access_log off; ${paths} ${server} }`);
  return ['nginx', '-e', 'stderr', '-c', `${folder}/main.conf`];
}

/** Caddy with the file of this folder, but for its ports. It changes no trusted certificates, and takes no port 80. */
export function caddyCommand({ folder, port, ...parts }: ProxyParts): string[] {
  const options = `{\nadmin off\nskip_install_trust\nauto_https disable_redirects\nstorage file_system ${folder}\n}\n`;
  const site = adapted('Caddyfile', parts).replace('localhost:8444', `localhost:${port}`);
  writeFileSync(`${folder}/Caddyfile`, options + site);
  return ['caddy', 'run', '--config', `${folder}/Caddyfile`, '--adapter', 'caddyfile'];
}

function adapted(file: string, { replicas, isBelowPath }: Omit<ProxyParts, 'folder' | 'port'>): string {
  let text = readFileSync(join(FOLDER, file), 'utf8');
  if (isBelowPath) text = text.replace('location / {', 'location = /unused {').replace(COMMENTED_PATH, '$1');
  return replicas.reduce((rest, replica, index) => rest.replace(`127.0.0.1:300${index}`, replica), text);
}

export interface ProxyResponse {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: unknown;
}

/** A proxy, and requests through it. */
export class Proxy {
  private readonly agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  private output = '';

  private constructor(
    readonly name: string,
    readonly port: number,
    private readonly process: ChildProcess,
  ) {
    process.stderr!.on('data', (text) => (this.output = `${this.output}${text}`.slice(-4_000)));
  }

  static async start(
    command: (parts: ProxyParts) => string[],
    parts: Omit<ProxyParts, 'port'> & { readonly port?: number },
  ): Promise<Proxy> {
    const port = parts.port ?? (await freePort());
    const [name, ...words] = command({ ...parts, port });
    const env = { PATH: process.env['PATH'], HOME: parts.folder };
    const stdio = ['ignore', 'ignore', 'pipe'] as const;
    const proxy = new Proxy(name!, port, spawn(name!, words, { env, stdio: [...stdio] }));
    const path = parts.isBelowPath ? '/store/' : '/';
    try {
      await within(LIMIT_MS, () => {
        if (proxy.process.exitCode !== null) throw new Error(proxy.output);
        return proxy.request({ path }).catch(() => null);
      });
    } catch (error) {
      proxy.process.kill();
      throw error;
    }
    return proxy;
  }

  async request(options: RequestOptions, body?: string): Promise<ProxyResponse> {
    const { agent, port } = this;
    const sent = request({ host: 'localhost', family: 4, port, agent, ...options }).end(body);
    const [response] = (await once(sent, 'response')) as Parameters<RequestListener>;
    return { status: response.statusCode!, headers: response.headers, body: await json(response) };
  }

  /** Sends these bytes. The caller reads the response. */
  sendRaw(bytes: string): TLSSocket {
    const to = { host: '127.0.0.1', port: this.port, servername: 'localhost' };
    const socket = connect({ ...to, rejectUnauthorized: false });
    socket.on('error', () => undefined).write(bytes);
    return socket;
  }

  /** The status line of the response to these bytes, and its last line. */
  async raw(bytes: string): Promise<string[]> {
    const socket = this.sendRaw(bytes);
    let text = '';
    for await (const part of socket) {
      text += String(part);
      if (text.endsWith('}')) break;
    }
    const lines = text.split('\r\n');
    return [lines[0]!, lines.at(-1)!];
  }

  async stop(): Promise<void> {
    this.agent.destroy();
    const exited = once(this.process, 'exit');
    this.process.kill();
    await exited;
  }
}
