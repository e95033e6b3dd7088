import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cleanup } from '../cleanup.js';
import { pinned } from '../machine.js';
import { COUNTER_WIDTH, type RequestMix, type Slot } from './request-mix.js';

export const CONNECTIONS = 64;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Answers with a status of 400 or above. */
  readonly refused: number;
  /** Connections that failed and answers that never came. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number the next run starts with, so that no counter comes twice. */
  readonly nextRequest: number;
}

export interface Load {
  readonly port: number;
  readonly mix: RequestMix;
  readonly seconds: number;
  readonly connections: number;
  readonly firstRequest: number;
}

/** Keeps `connections` keep-alive connections busy, one request at a time on each. */
export type LoadGenerator = (load: Load) => Promise<LoadResult>;

export interface GeneratorParts {
  readonly folder: string;
  readonly core: number | undefined;
  readonly cleanup: Cleanup;
}

const LUA_SCRIPT = join(import.meta.dirname, '../../../bench/load/request-mix.lua');
const BUILT_IN = join(import.meta.dirname, 'built-in.process.js');

export function wrk({ folder, core, cleanup }: GeneratorParts): LoadGenerator {
  return (load) => {
    const mixFile = join(folder, `mix-${load.port}.lua`);
    writeFileSync(mixFile, `return ${luaMix(load.mix)}\n`);
    const command = ['wrk', '-t1', `-c${load.connections}`, `-d${load.seconds}s`, '--timeout', '15s'];
    command.push('-s', LUA_SCRIPT, `http://127.0.0.1:${load.port}/`);
    const environment = { REQUEST_MIX: mixFile, FIRST_REQUEST: String(load.firstRequest) };
    return result(pinned(core, command), environment, cleanup);
  };
}

export function builtIn({ folder, core, cleanup }: GeneratorParts): LoadGenerator {
  return (load) => {
    const loadFile = join(folder, `load-${load.port}.json`);
    writeFileSync(loadFile, JSON.stringify(load));
    return result(pinned(core, [process.execPath, BUILT_IN, loadFile]), {}, cleanup);
  };
}

/** What a generator prints on the line that starts with RESULT. */
async function result(
  command: string[],
  environment: NodeJS.ProcessEnv,
  cleanup: Cleanup,
): Promise<LoadResult> {
  const [program, ...args] = command as [string, ...string[]];
  const child = spawn(program, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const forget = cleanup.add(() => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => (output += text));
  try {
    await new Promise((resolve, reject) => child.once('close', resolve).once('error', reject));
  } finally {
    await forget();
  }
  const line = /^RESULT (.+)$/m.exec(output);
  if (!line) throw new Error(`The load generator said nothing of use:\n${output}`);
  return JSON.parse(line[1]!) as LoadResult;
}

function luaMix({ templates }: RequestMix): string {
  const lines = templates.map(
    ({ weight, parts }) => `{weight=${weight},parts={${parts.map(luaPart).join(',')}}}`,
  );
  return `{${lines.join(',')}}`;
}

function luaPart(part: string | Slot): string {
  if (typeof part === 'string') return luaText(part);
  if ('linesOf' in part) return `{linesOf=${luaText(part.linesOf)}}`;
  return `{format="%${part.counter === 'zeros' ? '0' : ''}${COUNTER_WIDTH}d"}`;
}

/** Byte by byte: Lua knows no \u and no \x. */
function luaText(text: string): string {
  return `"${[...Buffer.from(text)].map((byte) => `\\${String(byte).padStart(3, '0')}`).join('')}"`;
}
