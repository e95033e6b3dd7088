import { setTimeout as delay } from 'node:timers/promises';
import { parseResponses, type RawResponse, type RawConnection } from '../../support/raw-connection.js';
import type { Random } from '../random.js';

/** The running service as hostile clients know it. */
export interface Target {
  readonly port: number;
  /** A valid key, whose limits nobody reaches. */
  readonly key: string;
  /** How long the service bears with a connection on which nothing moves, by its documentation, and some patience. */
  readonly standstillMs: number;
  /** An origin whose browser applications may call. */
  readonly origin: string;
  /** So many connections at once, and no more. */
  readonly maxConnections: number;
  /** Whether the service still has the other end of the connection. */
  isOpenAtServer(connection: RawConnection): Promise<boolean>;
  /** While `work` lasts, the service may close connections of others too, unanswered, for there being too many. */
  overload(work: () => Promise<void>): Promise<void>;
}

/** A connection was closed with fewer answers than were due. */
export class CutShort extends Error {}

/** One way to be hostile. */
export interface Actor {
  readonly name: string;
  /** One line for `--help`. */
  readonly about: string;
  /** How many of it there are at once; one unless told. */
  readonly strands?: number;
  /** One round of it. @throws Error when the service lets itself be harmed, or answers what it must not. */
  act(target: Target, random: Random): Promise<void>;
}

/** How long an answer may take; and the end of a connection that has been told to end. */
export const PATIENCE_MS = 30_000;

const LOOK_EVERY_MS = 50;

/** A head without its last empty line. */
export function head(line: string, ...headers: readonly string[]): string {
  return [`${line} HTTP/1.1`, 'Host: store', ...headers, ''].join('\r\n');
}

export function bearer(target: Target): string {
  return `Authorization: Bearer ${target.key}`;
}

/** Adds an animal that nobody misses. */
export function addition(target: Target, ...headers: readonly string[]): string {
  const body = '{"name":"Foundling","categoryId":7}';
  const length = `Content-Length: ${body.length}`;
  const line = head('POST /v1/pets', bearer(target), 'Content-Type: application/json', length, ...headers);
  return `${line}\r\n${body}`;
}

/** Resolves when `count` answers are there. @throws Error when one is not, or is none that may be given. */
export async function answered(connection: RawConnection, count: number): Promise<RawResponse[]> {
  let looked = 0;
  await until(PATIENCE_MS, () => {
    // To look through a long text again and again would take the time of everybody else here.
    const hasMore = connection.text.length > looked;
    looked = connection.text.length;
    return (hasMore && finalResponses(connection).length >= count) || connection.socket.closed;
  });
  const answers = checked(connection);
  if (answers.length < count) {
    const problem = `${count} answers were due, and there are ${answers.length}${seen(connection)}`;
    throw connection.socket.closed ? new CutShort(problem) : new Error(problem);
  }
  return answers;
}

/** Resolves when the service has closed the connection. @throws Error when it does not, or answers what it must not. */
export async function closed(connection: RawConnection, withinMs: number): Promise<RawResponse[]> {
  if (!(await until(withinMs, () => connection.socket.closed))) {
    throw new Error(`The connection is still open after ${withinMs} ms${seen(connection)}`);
  }
  return checked(connection);
}

/** For connections that are not read: their end shows at the server alone. @throws Error when it does not come. */
export async function closedUnread(
  target: Target,
  connections: readonly RawConnection[],
  withinMs: number,
): Promise<void> {
  let open = [...connections];
  const deadlineMs = performance.now() + withinMs;
  while (open.length > 0) {
    const states = await Promise.all(open.map((connection) => target.isOpenAtServer(connection)));
    open = open.filter((_, index) => states[index]);
    if (open.length > 0 && performance.now() > deadlineMs) {
      throw new Error(`${open.length} unread connections are still open after ${withinMs} ms`);
    }
    await delay(4 * LOOK_EVERY_MS);
  }
}

/** @throws Error unless `status` is one of `allowed`. */
export function expectStatus(answer: RawResponse | undefined, allowed: readonly number[]): void {
  if (answer && allowed.includes(answer.status)) return;
  if (!answer) throw new CutShort(`Answered nothing instead of ${allowed.join(' or ')}`);
  throw new Error(`Answered ${answer.status} instead of ${allowed.join(' or ')}`);
}

/** What was answered for good: after 100 the answer is yet to come. */
function finalResponses(connection: RawConnection): RawResponse[] {
  return connection.answers.filter(({ status }) => status >= 200);
}

function checked(connection: RawConnection): RawResponse[] {
  const answers = finalResponses(connection);
  for (const { status, body } of answers) {
    if (!(status < 500)) throw new Error(`Answered ${status}: ${body.slice(0, 200)}`);
    if (status >= 400 && body !== '' && !isErrorObject(body)) throw new Error(`No Error object: ${body}`);
  }
  return answers;
}

function isErrorObject(body: string): boolean {
  try {
    return Object.keys(JSON.parse(body) as object).join() === 'code,message,status';
  } catch {
    return false;
  }
}

function seen({ text }: RawConnection): string {
  const [first] = parseResponses(text);
  return first ? ` (the first answer: ${first.status})` : text === '' ? '' : `: ${text.slice(0, 100)}`;
}

export async function until(limitMs: number, isDone: () => boolean): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs;
  while (!isDone()) {
    if (performance.now() > deadlineMs) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}
