import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Route } from '@animal-store/http-errors';
import { type HandlerParameter, parametersOf } from '../handler-parameters.js';
import { type IfMatchOptions, ReadIfMatch } from '../responses/conditions/if-match.js';
import { ReadIfNoneMatch } from '../responses/conditions/if-none-match.js';
import { StreamSignal } from '../streams/hold-open.js';
import { ReadLastEventId } from '../streams/last-event-id.js';
import { VERSION_PREFIX } from '../versioning.js';
import { type BytesBodyOptions, ReadBytes, sendsBytes } from './body/bytes-body.js';
import type { BodyNeed } from './body/request-body.js';

const { BODY, FILE, FILES, HEADERS, QUERY, RAW_BODY, REQUEST } = RouteParamtypes;
/** Requests with these methods change nothing. */
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'ALL'];

type RefusedHeader = 'if-match' | 'if-none-match' | 'content-range';

/** What a handler reads of a request, as its parameters declare it, and what is therefore refused. */
export interface HandlerInput {
  /** How it uses the body. Null when it sees none. */
  readonly body: BodyNeed | BytesBodyOptions | null;
  /** Whether it has no query parameter. It would ignore a misspelled one. */
  readonly refusesQuery: boolean;
  /** Headers that it would ignore, to the harm of another caller. */
  readonly refusedHeaders: readonly RefusedHeader[];
  readonly sendsBytes: boolean;
}

/** A decorator of parameters made by `createParamDecorator`. */
export type CustomDecorator = () => ParameterDecorator;

/** Reads what a handler declares. */
export class HandlerInputs {
  private readonly blind: ReadonlySet<unknown>;

  /** @param blind further decorators that look neither at the body nor at the headers */
  constructor(blind: readonly CustomDecorator[]) {
    this.blind = new Set([...BLIND, ...blind.map(factoryOf)]);
  }

  of({ controller, handler, path, method }: Route): HandlerInput {
    const parameters = parametersOf(controller, handler.name);
    const isApi = path.startsWith(`${VERSION_PREFIX}/`);
    return {
      body: this.bodyOf(parameters),
      refusesQuery: isApi && !has(parameters, QUERY, REQUEST),
      refusedHeaders: this.refusedHeaders(parameters, method),
      sendsBytes: sendsBytes(handler),
    };
  }

  private bodyOf(parameters: readonly HandlerParameter[]): HandlerInput['body'] {
    const bytes = find(parameters, BYTES);
    if (bytes) return bytes.data as BytesBodyOptions;
    // Beside files, `@Body()` has the other fields of their form.
    if (has(parameters, BODY) && !has(parameters, FILE, FILES)) return 'json';
    if (has(parameters, RAW_BODY)) return 'bytes';
    return has(parameters, REQUEST, FILE, FILES) || this.seesRequest(parameters) ? 'offered' : null;
  }

  private refusedHeaders(parameters: readonly HandlerParameter[], method: string): RefusedHeader[] {
    if (SAFE.includes(method) || has(parameters, REQUEST, HEADERS) || this.seesRequest(parameters)) return [];
    const ifMatch = find(parameters, IF_MATCH)?.data as IfMatchOptions<never> | undefined;
    const refused: RefusedHeader[] = [];
    if (!ifMatch) refused.push('if-match');
    if (!ifMatch?.ifNoneMatch) refused.push('if-none-match');
    if (method === 'PUT') refused.push('content-range');
    return refused;
  }

  /** Whether a decorator of the application may read anything of the request. */
  private seesRequest(parameters: readonly HandlerParameter[]): boolean {
    return parameters.some(
      ({ factory }) => factory !== undefined && factory !== BYTES && !this.blind.has(factory),
    );
  }
}

function has(parameters: readonly HandlerParameter[], ...kinds: readonly RouteParamtypes[]): boolean {
  return parameters.some(({ kind }) => kinds.includes(kind));
}

function find(parameters: readonly HandlerParameter[], factory: unknown): HandlerParameter | undefined {
  return parameters.find((parameter) => parameter.factory === factory);
}

/** The function behind a decorator of the application. */
function factoryOf(decorator: CustomDecorator): unknown {
  class Probe {
    probe(@decorator() value: unknown): unknown {
      return value;
    }
  }
  return parametersOf(Probe, 'probe')[0]?.factory;
}

const BYTES = factoryOf(ReadBytes);
const IF_MATCH = factoryOf(ReadIfMatch as CustomDecorator);
const BLIND = [IF_MATCH, ...[ReadIfNoneMatch, StreamSignal, ReadLastEventId].map(factoryOf)];
