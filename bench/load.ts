import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Data } from './data.js';

export const CONNECTIONS = 64;

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  /** Responses with a status of 400 or above. */
  readonly refused: number;
  /** Connections that failed and responses that never came. */
  readonly broken: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number that the next load starts with, so that no number comes twice. */
  readonly nextRequest: number;
}

export interface Load {
  readonly port: number;
  /** Whole HTTP requests, sent in turn; load.lua says what may stand between two @. */
  readonly requests: readonly string[];
  readonly data: Data;
  readonly seconds: number;
  readonly connections: number;
  readonly firstRequest: number;
}

/** The text of a request. Each `@name@` in its body is as long as what takes its place. */
export function request(line: string, { key = '@keys@', body = '' } = {}): string {
  const content = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${content}\r\n${body}`;
}

/** Runs wrk, which keeps the connections busy with one request at a time on each. */
export async function load({
  port,
  requests,
  data,
  seconds,
  connections,
  firstRequest,
}: Load): Promise<LoadResult> {
  const file = `${data.file}.requests-${port}`;
  writeFileSync(file, requests.map((text) => `${text}\u0001`).join(''));
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '15s', '-s', 'bench/load.lua'];
  const env = { ...process.env, REQUESTS: file, DATA: data.file, FIRST_REQUEST: String(firstRequest) };
  const { stdout } = await promisify(execFile)('wrk', [...words, `http://127.0.0.1:${port}/`], { env });
  const line = /^RESULT (.+)$/m.exec(stdout);
  if (!line) throw new Error(`wrk said nothing of use:\n${stdout}`);
  return JSON.parse(line[1]!) as LoadResult;
}
