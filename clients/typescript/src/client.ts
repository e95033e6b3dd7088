import { type Deprecation, deprecationOf, warnOnConsole } from './deprecation.js';
import type { ErrorCode } from './generated/errors.js';
import { type Operations, OPERATIONS } from './generated/operations.js';
import { parseJson } from './json/json.js';
import type { CallOptions, Input, Item, ListName, OperationName, Output, Result } from './method.js';
import { isRedirect, redirected } from './redirect.js';
import { type Destination, prepareRequest } from './request.js';
import {
  type Limits,
  limitsOf,
  linkTarget,
  type ResponseInfo,
  responseInfo,
  type SentRequest,
} from './response-info.js';
import { type Attempt, type RetryOptions, retryAfterMs, sendWithRetries } from './retry.js';
import { StoreError, unreachable } from './store.error.js';
import { assertTimeLimit, withTimeLimit } from './time-limit.js';

export interface AnimalStoreOptions extends Destination, RetryOptions {
  /** How long one attempt may take, with its body, in milliseconds. Default: 30 000. Infinity means no time-out. */
  timeoutMs?: number;
  /** Called before every try of every request. What it sets in `headers` is sent. They do not have the credential. */
  onRequest?: (request: SentRequest) => void;
  /**
   * Called after every attempt, including those that are refused or repeated, with what `onRequest` got and the rate
   * limits. Without a response, its `status` is 0.
   */
  onResponse?: (info: ResponseInfo) => void;
  /** Called once for every deprecated operation that is used. Default: a warning on the console. */
  onDeprecated?: (deprecation: Deprecation) => void;
  /** Sends one request. Default: the `fetch` of the platform. */
  fetch?: (url: URL, request: RequestInit) => Promise<Response>;
}

type WithResponse<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Data>
    ? (...args: Args) => Promise<Omit<Result<OperationName>, 'data'> & { data: Data }>
    : WithResponse<Methods[Name]>;
};

/** The service: a method for each operation, and whole lists. */
export interface AnimalStore extends Operations {
  /** The same methods, which return the response and its limits beside the result. */
  readonly withResponse: WithResponse<Operations>;

  /**
   * The items of a list, from all its pages. A page is fetched when its first item is needed. Without a `limit` the
   * pages are as large as the service allows, for the fewest requests.
   */
  items<Name extends ListName>(
    operation: Name,
    input?: Omit<Input<Name>, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<Item<Name>, void>;

  /**
   * The pages of a list. A page is fetched when it is needed.
   *
   * @example
   * ```ts
   * for await (const page of store.pages('listPets', { limit: 50 })) {
   *   console.log(page.length);
   * }
   * ```
   */
  pages<Name extends ListName>(
    operation: Name,
    input?: Omit<Input<Name>, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<Output<Name>, void>;
}

/**
 * A client of the animal store. Its methods retry after temporary failures, wait as long as the service requests, and
 * throw `StoreError` when the service refuses a request.
 *
 * @throws TypeError for an invalid base URL or API key
 */
export function animalStore(options: AnimalStoreOptions): AnimalStore {
  const call = caller(options);
  const methods = (resultOf: (called: Called) => unknown): unknown => {
    const all: Record<string, unknown> = {};
    for (const name of NAMES) {
      const { version } = OPERATIONS[name];
      const method = async (input?: object, callOptions?: CallOptions) =>
        resultOf(await call(name, input, callOptions));
      if (version === undefined) all[name] = method;
      else ((all[version] ??= {}) as typeof all)[name.slice(0, -version.length)] = method;
    }
    return all;
  };

  async function* pages(name: OperationName, input?: object, callOptions?: CallOptions) {
    let nextQuery: string | null = null;
    do {
      const page: Called = await call(name, input, callOptions, nextQuery);
      yield page.data;
      nextQuery = nextQueryOf(page.response.headers);
    } while (nextQuery !== null);
  }

  async function* items(name: OperationName, input?: object, callOptions?: CallOptions) {
    const { largestPage: limit } = OPERATIONS[name];
    for await (const page of pages(name, { limit, ...input }, callOptions)) {
      yield* page as unknown[];
    }
  }

  return {
    ...(methods(({ data }) => data) as Operations),
    withResponse: methods((called) => called) as AnimalStore['withResponse'],
    pages: pages as AnimalStore['pages'],
    items: items as AnimalStore['items'],
  };
}

const NAMES = Object.keys(OPERATIONS) as OperationName[];
export interface Called {
  data: unknown;
  response: Response;
  limits: Limits | null;
}

function caller(options: AnimalStoreOptions) {
  const { onDeprecated = warnOnConsole, now = Date.now } = options;
  assertOptions(options);
  const announced = new Set<OperationName>();

  return async (
    name: OperationName,
    input?: object,
    callOptions: CallOptions = {},
    query: string | null = null,
  ): Promise<Called> => {
    const { signal, timeoutMs = options.timeoutMs ?? 30_000 } = callOptions;
    assertTimeLimit(timeoutMs);
    const { url, method, headers, body, isRepeatable } = prepareRequest(options, name, input, callOptions);
    if (query !== null) url.search = query;
    const subject = `${name} of ${url.origin}`;
    const { result, output } = OPERATIONS[name];

    const prepare = async (retry: number): Promise<Attempt> => {
      const request = { operation: name, method, url: url.href, headers: new Headers(headers), retry };
      options.onRequest?.(request);
      const sent = await withTimeLimit(timeoutMs, signal, () => authorized(request.headers, options.apiKey));
      const startedAtMs = now();
      const send = () =>
        withTimeLimit(timeoutMs, signal, async (trySignal) => {
          try {
            // `fetch` may follow a POST with a GET, whose response would be returned as the result.
            // The platform's is that of then, as tests and tracing replace it.
            const response = await (options.fetch ?? fetch)(url, {
              method,
              headers: sent,
              body,
              redirect: 'manual',
              signal: trySignal,
            });
            if (isRedirect(response)) {
              // An unread body occupies its connection.
              await response.body?.cancel();
              return { response, text: '' };
            }
            if (response.ok && result === 'bytes')
              return { response, text: '', bytes: await response.blob() };
            return { response, text: await response.text() };
          } catch (error) {
            throw unreachable(subject, error);
          }
        });
      const onDone = (response: Response | null): void => {
        const info = responseInfo(request, response, now() - startedAtMs);
        callOptions.onResponse?.(info);
        options.onResponse?.(info);
      };
      return { send, onDone };
    };
    const { response, text, bytes } = await sendWithRetries(prepare, isRepeatable, options, signal);

    if (response.headers.has('Deprecation') && !announced.has(name)) {
      announced.add(name);
      onDeprecated(deprecationOf(name, response.headers));
    }
    if (isRedirect(response)) throw redirected(subject, response);
    if (!response.ok) throw storeError(response, text, now());
    const isWithoutBody = text === '' && [202, 204].includes(response.status);
    try {
      const data = bytes ?? (isWithoutBody ? undefined : parseJson(text, output));
      return { data, response, limits: limitsOf(response.headers) };
    } catch (cause) {
      // A website may have a page for each path, and a network one for each host.
      throw storeError(response, text, now(), cause);
    }
  };
}

async function authorized(headersOfCall: Headers, apiKey: AnimalStoreOptions['apiKey']): Promise<Headers> {
  const headers = new Headers(headersOfCall);
  if (headers.has('Authorization')) return headers;
  const key = typeof apiKey === 'function' ? await apiKey() : apiKey;
  assertKey(key);
  headers.set('Authorization', `Bearer ${key}`);
  return headers;
}

function assertKey(apiKey: string): void {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)) {
    throw new TypeError('apiKey must be an API key: visible ASCII characters, at least one.');
  }
}

/** The errors of the platform for these come late, and the one for a header contains the key. */
function assertOptions({ baseUrl, apiKey, timeoutMs = Infinity }: AnimalStoreOptions): void {
  // `localhost:3000/v1` is a URL of the scheme `localhost`.
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : null;
  if (!/^https?:$/.test(url?.protocol ?? '') || url?.username || url?.password || url?.search || url?.hash) {
    throw new TypeError(
      'baseUrl must be an http or https URL without a user, a query and a fragment, such as https://store.example/v1.',
    );
  }
  if (typeof apiKey !== 'function') assertKey(apiKey);
  assertTimeLimit(timeoutMs);
}

/**
 * The query string of the next page of a list; null on its last page. Only the query of the link is used, so the key
 * is sent only to the service, whatever URL the link has.
 */
function nextQueryOf(headers: Headers): string | null {
  const target = linkTarget(headers, 'next');
  return target === null ? null : target.slice(target.indexOf('?') + 1);
}

function storeError(
  { status, statusText, headers }: Response,
  text: string,
  nowMs: number,
  cause: unknown = statusText,
): StoreError {
  let code: ErrorCode = status === 304 ? 'not_modified' : 'unknown';
  let message = `${status} ${cause as string}`.trim();
  try {
    const error = JSON.parse(text) as { code: ErrorCode; message: string };
    if (typeof error.code === 'string' && typeof error.message === 'string') ({ code, message } = error);
  } catch {
    // There is no Error object in the body, such as in the response of a proxy.
  }
  const requestId = headers.get('X-Request-Id');
  return new StoreError(status, code, message, requestId, retryAfterMs(headers, nowMs), limitsOf(headers));
}
