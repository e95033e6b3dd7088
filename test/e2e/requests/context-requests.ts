import { readdirSync } from 'node:fs';

type Line = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /v${number}/${string}`;

/**
 * A request in one line: `POST /v1/pets {"name":"Rex"}`. With headers: `['DELETE /v1/reviews/1', { 'If-Match': '*' }]`.
 * With bytes: `['PUT /v1/pets/1/photo', { 'Content-Type': 'image/png' }, PNG]`.
 */
export type RequestLine = Line | readonly [Line, Readonly<Record<string, string>>, Buffer?];

export interface OperationRequests {
  /** With valid input. It is sent more than once, and what others have changed may refuse it. */
  readonly request: RequestLine;
  /** A second request, for an operation with `@Idempotent()`. It succeeds: of a row that no other operation changes. */
  readonly other?: RequestLine;
  /** Of an operation with `@RateLimit({ cost })`. */
  readonly cost?: number;
  /** The budget of an operation that counts apart, a minute. */
  readonly apart?: { readonly name: string; readonly perMinute: number };
  /** Why a request with valid fields may be refused: a rule over several of them, which OpenAPI cannot say. */
  readonly jointRule?: string;
  /**
   * The request that provokes each specific error, by code. A 404 needs none when no resource has the largest id. Of
   * several lines only the last one is refused; they are of an account of their own.
   */
  readonly errors?: Readonly<Record<string, RequestLine | readonly Line[]>>;
}

/** What the test of every response sends to the operations of one context. */
export interface ContextRequests {
  /** Requests that are sent first, one after another, to an empty database. Its ids start at 1. */
  readonly before: readonly RequestLine[];
  /** The requests of each operation, by operation id. */
  readonly operations: Readonly<Record<string, OperationRequests>>;
  /** What shows the costs of its statements. */
  readonly large?: LargeTables;
}

/** Many rows, and lists of them. Requests are those of the account `zoo`. */
export interface LargeTables {
  /**
   * Adds the rows, as uneven as they become in years: few of this account, and few in the state that most requests look
   * for.
   *
   * @param ids a source of rows in SQL: their `id` runs from 1 to `count`
   */
  readonly rows: (ids: string, count: number) => string;
  /** Lists with every filter, beside the requests of the operations. */
  readonly lists: readonly Line[];
}

export interface SentRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export function requestOf(given: RequestLine): SentRequest {
  const [line, headers = {}, bytes] = typeof given === 'string' ? [given] : given;
  const [, method, path, text] = /^(\S+) (\S+)(?: (.+))?$/.exec(line)!;
  return { method, path: path!, headers, body: bytes ?? text };
}

/** Whether it is several lines; a request with headers has these second. */
export function isSeveral(given: RequestLine | readonly Line[]): given is readonly Line[] {
  return Array.isArray(given) && typeof given[1] === 'string';
}

/** The requests of every context, by its name. */
export function requestsOfContexts(): [name: string, requests: ContextRequests][] {
  return readdirSync(__dirname)
    .filter((file) => file.endsWith('.requests.ts'))
    .flatMap((file) => Object.entries(jest.requireActual<Record<string, ContextRequests>>(`./${file}`)));
}
