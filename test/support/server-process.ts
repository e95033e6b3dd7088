import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const BUILT = resolve('dist');
/** It takes a second of a core. Other suites may have all cores for a while. */
const STARTS_WITHIN_MS = 60_000;
const ATTEMPT_EVERY_MS = 50;

/** The exit code and the output of a process. */
export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessParts {
  /** The working folder of the process, without an `.env` file. */
  readonly folder: string;
  /** Its file in `dist`. Default: `main.js`. */
  readonly entry?: string;
  /** Settings by variable. Of the environment of this process it gets only PATH. */
  readonly environment?: NodeJS.ProcessEnv;
  /** The id of the user that runs it, and of its group. Default: that of this process. */
  readonly user?: number;
  /** Flags of Node itself. */
  readonly nodeFlags?: readonly string[];
  /** A module that is loaded before the program. `query` sends it queries. */
  readonly preload?: string;
}

/** The built service in its own process, on a free port of the loopback interface. */
export class ServerProcess {
  private constructor(
    private readonly child: ChildProcess,
    private readonly ended: Promise<Ended>,
    readonly port: number,
    private readonly output: Output,
  ) {}

  /** Resolves when the server is ready. Rejects with its output when it exits before that. */
  static async start(parts: ProcessParts): Promise<ServerProcess> {
    const environment = { PORT: '0', HOST: '127.0.0.1', ...parts.environment };
    const { child, output, ended } = launch(parts.entry ?? 'main.js', [], { ...parts, environment });
    try {
      const port = await within(STARTS_WITHIN_MS, () => {
        if (child.exitCode !== null) throw new Error('It ended.');
        return /"Listening on [^"]*:(\d+)\."/.exec(output.stdout)?.[1];
      });
      const server = new ServerProcess(child, ended, Number(port), output);
      await within(STARTS_WITHIN_MS, async () => (await server.get('/health/ready')).ok);
      return server;
    } catch (error) {
      child.kill('SIGKILL');
      const { code, stdout, stderr } = await ended;
      throw new Error(`${(error as Error).message} Exit code ${code}.\n${stdout}\n${stderr}`);
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  /** Everything it has printed so far. */
  get stdout(): string {
    return this.output.stdout;
  }

  get stderr(): string {
    return this.output.stderr;
  }

  /** Everything it has printed since the last call. It is then dropped, because a long run prints a lot. */
  drainStdout(): string {
    const { stdout } = this.output;
    this.output.stdout = '';
    return stdout;
  }

  get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the process has ended, by itself or after `stop`. */
  get end(): Promise<Ended> {
    return this.ended;
  }

  /** Sends a query to the preloaded module and resolves with its reply. Only one query at a time. */
  async query<Query extends object, Reply>(query: Query): Promise<Reply> {
    const reply = once(this.child, 'message').then(([message]) => message as Reply);
    const tooLate = this.ended.then(() => Promise.reject<Reply>(new Error('It ended.')));
    this.child.send(query, (error) => void error);
    return Promise.race([reply, tooLate]);
  }

  /** Stops reading its standard output. */
  stallStdout(): void {
    this.child.stdout!.pause();
  }

  readStdoutOn(): void {
    this.child.stdout!.resume();
  }

  /** Sends a GET request, with `key` if there is one. */
  get(path: string, key?: string, more: Record<string, string> = {}): Promise<Response> {
    const headers = { ...(key !== undefined && { Authorization: `Bearer ${key}` }), ...more };
    return fetch(`http://127.0.0.1:${this.port}${path}`, { headers });
  }

  /** Sends a POST request with a JSON text. */
  post(path: string, key: string, body: string, more: Record<string, string> = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...more };
    return fetch(`http://127.0.0.1:${this.port}${path}`, { method: 'POST', headers, body });
  }

  /** The animals of all pages. */
  async animals(key: string): Promise<{ readonly id: number; readonly name: string }[]> {
    const animals: { id: number; name: string }[] = [];
    for (let next: string | undefined = '/v1/pets?limit=100'; next !== undefined;) {
      const response = await this.get(next, key);
      animals.push(...((await response.json()) as typeof animals));
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return animals;
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Ends the process if it is still running. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<Ended> {
    this.signal(signal);
    return this.ended;
  }
}

/** Runs one of the built programs to its end: `main.js`, `keys.js`. */
export function runProgram(entry: string, args: readonly string[], parts: ProcessParts): Promise<Ended> {
  return launch(entry, args, parts).ended;
}

/**
 * Calls `attempt` repeatedly for at most `limitMs`, and resolves with its first truthy result. It counts its calls, not
 * the time: on a busy machine they are late, as is what they wait for.
 */
export async function within<T>(
  limitMs: number,
  attempt: () => T | Promise<T>,
): Promise<NonNullable<Exclude<T, false>>> {
  for (let waitedMs = 0; ; waitedMs += ATTEMPT_EVERY_MS) {
    const result = await attempt();
    if (result) return result as NonNullable<Exclude<T, false>>;
    if (waitedMs >= limitMs) throw new Error(`Not within ${limitMs} ms.`);
    await new Promise((next) => setTimeout(next, ATTEMPT_EVERY_MS));
  }
}

interface Output {
  stdout: string;
  stderr: string;
}

function launch(entry: string, args: readonly string[], parts: ProcessParts) {
  const { folder, environment, user, nodeFlags = [], preload } = parts;
  const flags = preload === undefined ? nodeFlags : [...nodeFlags, '--import', preload];
  const child = spawn(process.execPath, [...flags, resolve(BUILT, entry), ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    uid: user,
    gid: user,
    stdio: ['ignore', 'pipe', 'pipe', ...(preload === undefined ? [] : ['ipc' as const])],
  });
  const output: Output = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  // At 'exit' the last output may not have been read yet, so this waits for 'close'.
  const ended = once(child, 'close').then(([code]): Ended => ({ code: code as number | null, ...output }));
  return { child, output, ended };
}
