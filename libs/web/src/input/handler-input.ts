import type { Route } from '@animal-store/http-errors';
import { isIdempotent } from '@animal-store/idempotency';
import type { ErrorClass } from '@animal-store/kernel';
import { type HandlerParameter, parametersOf, READS_NOTHING } from '@animal-store/kernel/http';
import { type IfMatchOptions, ifMatchOf } from '../responses/conditions/if-match.js';
import {
  BODY_ERRORS,
  InvalidParameter,
  RequestTimeout,
  UnexpectedBody,
  UnknownParameter,
} from '../responses/request.errors.js';
import { versionOf } from '../versioning.js';
import { type BytesBodyOptions, bytesOf, sendsBytes } from './body/bytes-body.js';
import type { BodyNeed } from './body/request-body.js';

/** Requests with these methods change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'ALL'];

type RefusedHeader = 'if-match' | 'if-none-match' | 'idempotency-key' | 'content-range';

/** What a handler reads of a request, as its parameters declare it, and what is therefore refused. */
export interface HandlerInput {
  /** How it uses the body. Null when it sees none, and `refused` when it is an operation, too. */
  readonly body: BodyNeed | BytesBodyOptions | 'refused' | null;
  /** The names of its query parameters, as it would ignore a misspelled one. Null when it may read any. */
  readonly query: readonly string[] | null;
  /** Headers that it would ignore, to the harm of another caller. */
  readonly refusedHeaders: readonly RefusedHeader[];
  readonly sendsBytes: boolean;
}

/** Reads what a handler declares. */
export function inputOf({ controller, name, handler, path, method }: Route): HandlerInput {
  const parameters = parametersOf(controller, name);
  const isOperation = versionOf(path) !== null;
  return {
    body: bodyOf(parameters) ?? (isOperation ? 'refused' : null),
    query: isOperation ? queryOf(parameters) : null,
    refusedHeaders: refusedHeaders(parameters, method, isIdempotent(handler)),
    sendsBytes: sendsBytes(handler),
  };
}

/** The errors of an operation for what its handler reads: a query, a JSON body. */
export function inputErrors(parameters: readonly HandlerParameter[]): ErrorClass[] {
  const ofQuery = has(parameters, 'QUERY') ? [InvalidParameter] : [];
  return bodyOf(parameters) === 'json' ? [...ofQuery, ...BODY_ERRORS] : ofQuery;
}

/** The errors of an operation for what its handler does not read. */
export function refusedInputs(parameters: readonly HandlerParameter[]): ErrorClass[] {
  const ofQuery = has(parameters, 'QUERY', 'REQUEST') ? [] : [UnknownParameter];
  return bodyOf(parameters) === null ? [...ofQuery, UnexpectedBody, RequestTimeout] : ofQuery;
}

/** `@Query()` without a name has a class, which refuses what it does not declare. */
function queryOf(parameters: readonly HandlerParameter[]): HandlerInput['query'] {
  if (has(parameters, 'REQUEST')) return null;
  const names = parameters.filter(({ kind }) => kind === 'QUERY').map(({ data }) => data);
  return names.every((name) => typeof name === 'string') ? names : null;
}

function bodyOf(parameters: readonly HandlerParameter[]): HandlerInput['body'] {
  const bytes = find(parameters, bytesOf);
  if (bytes) return bytes.data as BytesBodyOptions;
  // `@Body()` beside files has the other fields of their form, which is no JSON.
  if (has(parameters, 'BODY') && !has(parameters, 'FILE', 'FILES')) return 'json';
  if (has(parameters, 'RAW_BODY')) return 'bytes';
  return has(parameters, 'REQUEST', 'FILE', 'FILES') || readsRequest(parameters) ? 'offered' : null;
}

function refusedHeaders(
  parameters: readonly HandlerParameter[],
  method: string,
  acceptsKey: boolean,
): RefusedHeader[] {
  if (SAFE.includes(method) || has(parameters, 'REQUEST', 'HEADERS') || readsRequest(parameters)) return [];
  const ifMatch = find(parameters, ifMatchOf)?.data as IfMatchOptions<never> | undefined;
  const refused: RefusedHeader[] = [];
  if (!ifMatch) refused.push('if-match');
  if (!ifMatch?.ifNoneMatch) refused.push('if-none-match');
  if (!acceptsKey) refused.push('idempotency-key');
  if (method === 'PUT') refused.push('content-range');
  return refused;
}

/** Whether a decorator of the application may read anything of the request. */
function readsRequest(parameters: readonly HandlerParameter[]): boolean {
  return parameters.some(
    ({ factory }) => factory !== undefined && factory !== bytesOf && !(READS_NOTHING in factory),
  );
}

function has(
  parameters: readonly HandlerParameter[],
  ...kinds: readonly HandlerParameter['kind'][]
): boolean {
  return parameters.some(({ kind }) => kinds.includes(kind));
}

function find(parameters: readonly HandlerParameter[], factory: unknown): HandlerParameter | undefined {
  return parameters.find((parameter) => parameter.factory === factory);
}
