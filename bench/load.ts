import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Data } from './data.js';

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

/** A request; `@keys@` and the like become the next line of a list, and are as long as it in a body. */
export function request(line: string, body = '', header = '', key = '@keys@'): string {
  const content = body && `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
  const own = header && `${header}\r\n`;
  return `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${key}\r\n${own}${content}\r\n${body}`;
}

/** Runs wrk, which keeps the connections of a port busy with one request at a time on each, in turn. */
export async function load(
  port: number,
  requests: readonly string[],
  data: Data,
  seconds: number,
  connections: number,
  firstRequest: number,
): Promise<LoadResult> {
  const file = `${data.file}.requests-${port}`;
  writeFileSync(file, requests.join('\u0001'));
  const words = ['-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '15s', '-s', 'bench/load.lua'];
  const env = { ...process.env, REQUESTS: file, DATA: data.file, FIRST_REQUEST: String(firstRequest) };
  const { stdout } = await promisify(execFile)('wrk', [...words, `http://127.0.0.1:${port}/`], { env });
  const line = /^RESULT (.+)$/m.exec(stdout);
  if (!line) throw new Error(`wrk said nothing of use:\n${stdout}`);
  return JSON.parse(line[1]!) as LoadResult;
}
