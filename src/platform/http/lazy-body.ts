import type { Request } from 'express';
import { jsonFrom, readBytes, requireJson } from './request-body.js';

const BODY = Symbol('body');
const BYTES = Symbol('body bytes');

type BodyRequest = Request & { [BODY]?: unknown; [BYTES]?: Buffer | Promise<Buffer> };

/** Requests with these methods rarely have a body. Without one, `request.body` is undefined instead of an error. */
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

const BODY_TRAPS = trapsFor('body');
const RAW_BODY_TRAPS = trapsFor('rawBody');

let areFieldsAllowed = false;

/** Allows reading a field of a body that has not arrived yet. The field is a promise as well. */
export function allowBodyFields(areAllowed: boolean): void {
  areFieldsAllowed = areAllowed;
}

/**
 * Adds a `body` and a `rawBody` to requests. They are read when they are first used, so a caller without a key cannot
 * make the service read or parse anything. Both are promises; Nest awaits the values of parameters. Every reader gets
 * the same promise, and code that forgets to await it gets an error.
 *
 * @param requests Express's prototype of all requests, `app.request`
 * @param checkQuery throws when a request must not have its query. It is called after the body has been found valid.
 */
export function provideBody(requests: object, checkQuery: (request: Request) => void): void {
  Object.defineProperties(requests, {
    body: {
      configurable: true,
      get(this: BodyRequest): unknown {
        const body = (this[BODY] ??= awaitOnly(BODY_TRAPS, () => readJson(this)));
        return this.url.includes('?') ? thenCheck(this, body, checkQuery) : body;
      },
      // A middleware that reads the body itself replaces this one.
      set(this: BodyRequest, body: unknown) {
        this[BODY] = body;
      },
    },
    rawBody: {
      configurable: true,
      get(this: BodyRequest): unknown {
        return awaitOnly(RAW_BODY_TRAPS, () => bytesOf(this));
      },
      set(this: BodyRequest, bytes: Buffer) {
        this[BYTES] = bytes;
      },
    },
  });
}

function thenCheck(request: Request, body: unknown, check: (request: Request) => void): unknown {
  if (body instanceof Promise) {
    return awaitOnly(BODY_TRAPS, async () => {
      const value: unknown = await body;
      check(request);
      return value;
    });
  }
  // A middleware has set this body.
  check(request);
  return body;
}

function readJson(request: BodyRequest): unknown {
  if (isBodiless(request)) return undefined;
  requireJson(request);
  const bytes = bytesOf(request);
  return bytes instanceof Promise ? bytes.then(jsonFrom) : jsonFrom(bytes);
}

/** The bytes of the body. They can be read only once, but both the body and the raw body may need them. */
function bytesOf(request: BodyRequest): Buffer | Promise<Buffer> {
  return (request[BYTES] ??= readBytes(request));
}

function isBodiless({ method, headers }: Request): boolean {
  return (
    BODILESS.includes(method) &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers['content-type'] === undefined
  );
}

/** A promise of the result of `read` that can only be awaited: `traps` refuse other uses. */
function awaitOnly(traps: ProxyHandler<Promise<unknown>>, read: () => unknown): Promise<unknown> {
  // An error thrown by `read` rejects the promise.
  const promise = new Promise((resolve) => resolve(read()));
  promise.catch(ignore);
  return new Proxy(promise, traps);
}

/** Code that only checks whether there is a body does not await it, so its error must not be unhandled. */
function ignore(): void {}

function fieldOf(body: unknown, name: string): unknown {
  return body !== null && body !== undefined && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;
}

/** Traps that throw where a promise would silently look like a body without fields. */
function trapsFor(name: string): ProxyHandler<Promise<unknown>> {
  const refuse = (use: string): never => {
    throw new TypeError(
      `${name} of a request is a promise, as it is read after the guards: write (await request.${name})${use}.`,
    );
  };
  return {
    get(promise, key) {
      if (key === 'then') return promise.then.bind(promise);
      if (key === 'catch' || key === 'finally') return promise[key].bind(promise);
      if (key === 'constructor') return Promise;
      if (typeof key === 'symbol') return Reflect.get(promise, key) as unknown;
      return areFieldsAllowed ? promise.then((body) => fieldOf(body, key)) : refuse(`.${key}`);
    },
    has: (_, key) => typeof key !== 'symbol' && refuse(`.${key}`),
    set: (_, key) => refuse(`.${String(key)} = …`),
    ownKeys: () => refuse(''),
  };
}
