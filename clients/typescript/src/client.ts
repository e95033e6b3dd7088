import { parseExact, stringifyExact } from './json.js';
import type { Answer, CallOptions, Input, ListName, OperationName } from './method.js';
import { INT64_FIELDS, type Operations, OPERATIONS } from './operations.js';
import { type RetryOptions, retryAfterMs, sendWithRetries } from './retry.js';
import { StoreError } from './store.error.js';

/** What the service says of an operation that it will remove. */
export interface Deprecation {
  operation: OperationName;
  /** When it will be removed, where that is decided. */
  sunset: Date | null;
  /** What to use instead, as a path or URL. */
  successor: string | null;
}

export interface AnimalStoreOptions extends RetryOptions {
  /** Where the service is, with its version: `https://store.example/v1`. */
  baseUrl: string;
  apiKey: string;
  /** Told once of every deprecated operation that is called. A line on the console when left out. */
  onDeprecated?: (deprecation: Deprecation) => void;
  /** Sends one request; the `fetch` of the platform when left out. */
  fetch?: (url: URL, request: RequestInit) => Promise<Response>;
}

/** The service: a method for each operation, and whole lists page by page. */
export interface AnimalStore extends Operations {
  /**
   * The pages of a list, each fetched when it is asked for.
   *
   * @example
   * ```ts
   * for await (const page of store.pages('listPets', { status: 'available' })) {
   *   for (const animal of page) console.log(animal.name);
   * }
   * ```
   */
  pages<Name extends ListName>(
    operation: Name,
    input?: Omit<Input<Name>, 'cursor'>,
    options?: CallOptions,
  ): AsyncGenerator<Answer<Name>, void>;
}

interface Answered {
  data: unknown;
  /** The query string of the next page of a list; null on its last page. */
  nextQuery: string | null;
}

/**
 * A client of the animal store. Its methods send again what failed in passing, wait as long as the service asks for, and
 * throw `StoreError` when the service refuses.
 *
 * @example
 * ```ts
 * const store = animalStore({ baseUrl: 'http://localhost:3000/v1', apiKey: process.env.API_KEY! });
 * const rex = await store.createPet({ name: 'Rex', categoryId: 9223372036854775807n });
 * ```
 */
export function animalStore(options: AnimalStoreOptions): AnimalStore {
  const call = caller(options);
  const methods = Object.keys(OPERATIONS).map((name) => [
    name,
    async (input?: object, callOptions?: CallOptions) =>
      (await call(name as OperationName, input, callOptions)).data,
  ]);

  async function* pages(name: OperationName, input?: object, callOptions?: CallOptions) {
    let { data, nextQuery } = await call(name, input, callOptions);
    yield data;
    while (nextQuery !== null) {
      const next = Object.fromEntries(new URLSearchParams(nextQuery));
      ({ data, nextQuery } = await call(name, next, callOptions));
      yield data;
    }
  }

  return { ...(Object.fromEntries(methods) as Operations), pages: pages as AnimalStore['pages'] };
}

type Fields = Record<string, string | number | bigint | undefined>;

function caller(options: AnimalStoreOptions) {
  const { baseUrl, apiKey, onDeprecated = warn, fetch: send = fetch, now = Date.now } = options;
  const announced = new Set<OperationName>();

  return async (
    name: OperationName,
    input: object = {},
    callOptions: CallOptions = {},
  ): Promise<Answered> => {
    const { method, path, query, hasBody, takesIdempotencyKey } = OPERATIONS[name];
    const fields: Fields = { ...input };
    const url = new URL(baseUrl.replace(/\/$/, '') + filled(path, fields));
    for (const parameter of query as readonly string[]) {
      const value = taken(fields, parameter);
      if (value !== undefined) url.searchParams.set(parameter, String(value));
    }
    const { signal, idempotencyKey } = callOptions;
    const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
    // One for all tries: it is what makes them one request.
    if (takesIdempotencyKey) headers['Idempotency-Key'] = idempotencyKey ?? crypto.randomUUID();
    if (hasBody) headers['Content-Type'] = 'application/json';
    const body = hasBody ? stringifyExact(fields) : undefined;

    const response = await sendWithRetries(
      () => send(url, { method, headers, body, signal }),
      method === 'GET' || takesIdempotencyKey,
      options,
      signal,
    );
    if (response.headers.has('Deprecation') && !announced.has(name)) {
      announced.add(name);
      onDeprecated(deprecationOf(name, response.headers));
    }
    const text = await response.text();
    if (!response.ok) throw storeError(response, text, now());
    return { data: parseExact(text, INT64_FIELDS), nextQuery: nextQueryOf(response.headers) };
  };
}

function filled(path: string, fields: Fields): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(taken(fields, name))));
}

function taken(fields: Fields, name: string): Fields[string] {
  const { [name]: value } = fields;
  delete fields[name];
  return value;
}

/** Only the query of the link is used: wherever it points, the key goes to nobody but the service. */
function nextQueryOf(headers: Headers): string | null {
  const target = linkTarget(headers, 'next');
  return target === null ? null : target.slice(target.indexOf('?') + 1);
}

/** The target of the link with this relation (RFC 8288). */
function linkTarget(headers: Headers, relation: string): string | null {
  const links = headers.get('Link')?.matchAll(/<([^>]*)>\s*;\s*rel="([^"]*)"/g) ?? [];
  for (const [, target, rel] of links) if (rel === relation) return target!;
  return null;
}

function deprecationOf(operation: OperationName, headers: Headers): Deprecation {
  const sunset = headers.get('Sunset');
  return {
    operation,
    sunset: sunset === null ? null : new Date(sunset),
    successor: linkTarget(headers, 'successor-version'),
  };
}

function warn({ operation, sunset, successor }: Deprecation): void {
  const until = sunset === null ? '' : ` and will be removed on ${sunset.toISOString().slice(0, 10)}`;
  console.warn(
    `${operation} is deprecated${until}.${successor === null ? '' : ` Use ${successor} instead.`}`,
  );
}

function storeError({ status, statusText, headers }: Response, text: string, nowMs: number): StoreError {
  const { code, message } = errorIn(text) ?? { code: 'unknown', message: `${status} ${statusText}` };
  return new StoreError(status, code, message, headers.get('X-Request-Id'), retryAfterMs(headers, nowMs));
}

/** The Error object in a body; null when it has none, as when a proxy answered. */
function errorIn(text: string): { code: string; message: string } | null {
  try {
    const { code, message } = JSON.parse(text) as { code: unknown; message: unknown };
    return typeof code === 'string' && typeof message === 'string' ? { code, message } : null;
  } catch {
    return null;
  }
}
