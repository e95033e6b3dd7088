/** The load generator for where wrk is not installed: slower than wrk, so that it may be what limits a fast server. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { createHistogram } from 'node:perf_hooks';
import type { Load, LoadResult } from './load-generator.js';
import { COUNTER_WIDTH, type Slot } from './request-mix.js';

const { port, mix, seconds, connections, firstRequest } = JSON.parse(
  readFileSync(process.argv[2]!, 'utf8'),
) as Load;

type PartText = (number: number) => string;

const files = new Map<string, string[]>();
const turns = mix.templates.flatMap(({ weight, parts }) =>
  Array.from({ length: weight }, () => parts.map(partText)),
);
const latencyUs = createHistogram();
let nextRequest = firstRequest;
let requests = 0;
let refused = 0;
let broken = 0;

const startedAtMs = performance.now();
const endsAtMs = startedAtMs + seconds * 1_000;
let running = connections;
for (let i = 0; i < connections; i++) openConnection();

function openConnection(): void {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  let sentAtMs = 0;
  let received = '';
  let ended = false;
  const send = () => {
    const number = nextRequest++;
    let text = '';
    for (const part of turns[number % turns.length]!) text += part(number);
    sentAtMs = performance.now();
    socket.write(text);
  };
  const end = () => {
    if (ended) return;
    ended = true;
    socket.destroy();
    if (--running === 0) report();
  };
  socket.setEncoding('latin1');
  socket.on('connect', send);
  socket.on('error', () => broken++);
  socket.on('close', () => {
    if (!ended) broken++;
    end();
  });
  socket.on('data', (text: string) => {
    received += text;
    const answerLength = lengthOfAnswer(received);
    if (answerLength === null || received.length < answerLength) return;
    const nowMs = performance.now();
    latencyUs.record(Math.max(1, Math.round((nowMs - sentAtMs) * 1_000)));
    requests++;
    // "HTTP/1.1 " and the first digit of the status.
    if (received.charCodeAt(9) >= 52) refused++;
    received = received.slice(answerLength);
    if (nowMs < endsAtMs) send();
    else end();
  });
}

/** Head and body together; null while the head is not complete. Every answer here says how long its body is. */
function lengthOfAnswer(text: string): number | null {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, headEnd));
  if (!length) throw new Error(`An answer without Content-Length:\n${text.slice(0, headEnd)}`);
  return headEnd + 4 + Number(length[1]);
}

function partText(part: string | Slot): PartText {
  if (typeof part === 'string') return () => part;
  if ('linesOf' in part) {
    const { linesOf } = part;
    const lines = files.get(linesOf) ?? readFileSync(linesOf, 'utf8').trimEnd().split('\n');
    files.set(linesOf, lines);
    return (number) => lines[number % lines.length]!;
  }
  const fill = part.counter === 'zeros' ? '0' : ' ';
  return (number) => String(number).padStart(COUNTER_WIDTH, fill);
}

function report(): void {
  const result: LoadResult = {
    requests,
    seconds: (performance.now() - startedAtMs) / 1_000,
    refused,
    broken,
    p50Ms: latencyUs.percentile(50) / 1_000,
    p99Ms: latencyUs.percentile(99) / 1_000,
    nextRequest,
  };
  process.stdout.write(`RESULT ${JSON.stringify(result)}\n`);
}
