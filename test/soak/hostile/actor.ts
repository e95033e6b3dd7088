import { setTimeout as delay } from 'node:timers/promises';
import { parseResponses, type RawResponse, type RawConnection } from '@animal-store/web/testing';
import { addition as additionParts, bearer as bearerOf } from '../../support/hostile-requests.js';
import type { Random } from '../../support/random.js';

/** The running service from the view of hostile clients. */
export interface Target {
  readonly port: number;
  /** A valid key with limits that no actor reaches. */
  readonly key: string;
  /** The documented time after which the service closes a connection without progress, with a margin. */
  readonly stalledMs: number;
  /** An origin that CORS allows. */
  readonly origin: string;
  /** The largest number of connections that the service accepts at once. */
  readonly maxConnections: number;
  /** The path of the largest file that needs no key. */
  readonly largestAsset: string;
  /** The number of open files of the process that are not connections. */
  openFiles(): Promise<number>;
  /** Whether the service still has the other end of the connection. */
  isOpenAtServer(connection: RawConnection): Promise<boolean>;
}

/** Connections were closed before all responses had arrived. Only the service's own count of drops excuses that. */
export class CutShort extends Error {
  constructor(
    message: string,
    readonly connections = 1,
  ) {
    super(message);
  }
}

/** One kind of hostile client. */
export interface Actor {
  readonly name: string;
  /** One line for `--help`. */
  readonly about: string;
  /** The number of such clients at once. Default: 1. */
  readonly strands?: number;
  /** Runs one round. @throws Error when the service is harmed or sends a forbidden response */
  act(target: Target, random: Random): Promise<void>;
}

/** The longest time for a response, and for the service to close a connection that it must close. */
export const PATIENCE_MS = 30_000;

const LOOK_EVERY_MS = 50;

export function bearer(target: Target): string {
  return bearerOf(target.key);
}

/** A request that adds an animal. */
export function addition(target: Target, name = 'Foundling', ...headers: readonly string[]): string {
  return additionParts(target.key, name, ...headers).join('');
}

/** Resolves when `count` responses have arrived. @throws Error when one is missing or forbidden */
export async function untilResponses(connection: RawConnection, count: number): Promise<RawResponse[]> {
  let looked = 0;
  await until(PATIENCE_MS, () => {
    // Parsing a long text on each look would take too much time from the other actors.
    const hasMore = connection.text.length > looked;
    looked = connection.text.length;
    return (hasMore && finalResponses(connection).length >= count) || connection.socket.closed;
  });
  const responses = checked(connection);
  if (responses.length < count) {
    const problem = `${count} responses were expected, but there are ${responses.length}${seen(connection)}`;
    throw connection.socket.closed ? new CutShort(problem) : new Error(problem);
  }
  return responses;
}

/** Resolves when the service has closed the connection. @throws Error when it does not, or for a forbidden response */
export async function closed(connection: RawConnection, withinMs: number): Promise<RawResponse[]> {
  if (!(await until(withinMs, () => connection.socket.closed))) {
    throw new Error(`The connection is still open after ${withinMs} ms${seen(connection)}`);
  }
  return checked(connection);
}

/**
 * Resolves when the service has closed the connections. Their client does not read, so only the server knows.
 *
 * @throws Error when the service does not close them
 */
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

/** @throws Error unless the status of the response is one of `allowed` */
export function expectStatus(response: RawResponse | undefined, allowed: readonly number[]): void {
  if (response && allowed.includes(response.status)) return;
  if (!response) throw new CutShort(`No response instead of ${allowed.join(' or ')}`);
  throw new Error(`Status ${response.status} instead of ${allowed.join(' or ')}`);
}

/** The responses without 100 Continue, after which the final response is still to come. */
function finalResponses(connection: RawConnection): RawResponse[] {
  return connection.responses.filter(({ status }) => status >= 200);
}

function checked(connection: RawConnection): RawResponse[] {
  const responses = finalResponses(connection);
  for (const { status, body } of responses) {
    if (!(status < 500)) throw new Error(`Status ${status}: ${body.slice(0, 200)}`);
    if (status >= 400 && body !== '' && !isErrorObject(body)) throw new Error(`Not an Error object: ${body}`);
  }
  return responses;
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
  return first ? ` (the first response: ${first.status})` : text === '' ? '' : `: ${text.slice(0, 100)}`;
}

export async function until(limitMs: number, isDone: () => boolean): Promise<boolean> {
  const deadlineMs = performance.now() + limitMs;
  while (!isDone()) {
    if (performance.now() > deadlineMs) return false;
    await delay(LOOK_EVERY_MS);
  }
  return true;
}
