import type { Request } from 'express';
import { jsonFrom, readBytes, requireJson } from './request-body.js';

const BODY = Symbol('body');
const BYTES = Symbol('body bytes');

type BodyRequest = Request & { [BODY]?: unknown; [BYTES]?: Buffer | Promise<Buffer> };

/** Requests with these methods mostly have no body, and code that reads the body of every request may still read it. */
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Adds a `body` and a `rawBody` to requests, which are read when they are first used, so that a caller without a key
 * cannot make the service read or parse anything. Both are promises; Nest awaits the values of parameters. Every reader
 * gets the same promise, and code that forgets to await it gets an error.
 *
 * @param requests Express's prototype of all requests, `app.request`
 * @param checkQuery throws when a request with a query may not have it: what is wrong with the body itself is said first
 */
export function provideBody(requests: object, checkQuery: (request: Request) => void): void {
  Object.defineProperties(requests, {
    body: {
      configurable: true,
      get(this: BodyRequest): unknown {
        const body = (this[BODY] ??= awaited('body', () => readJson(this)));
        return this.url.includes('?') ? afterCheck(this, body, checkQuery) : body;
      },
      // A middleware that reads the body itself replaces this one.
      set(this: BodyRequest, body: unknown) {
        this[BODY] = body;
      },
    },
    rawBody: {
      configurable: true,
      get(this: BodyRequest): unknown {
        return awaited('rawBody', () => bytesOf(this));
      },
      set(this: BodyRequest, bytes: Buffer) {
        this[BYTES] = bytes;
      },
    },
  });
}

function afterCheck(request: Request, body: unknown, check: (request: Request) => void): unknown {
  if (body instanceof Promise) {
    return awaited('body', async () => {
      const value: unknown = await body;
      check(request);
      return value;
    });
  }
  // A middleware has put it there.
  check(request);
  return body;
}

function readJson(request: BodyRequest): unknown {
  if (isBodiless(request)) return undefined;
  requireJson(request);
  const bytes = bytesOf(request);
  return bytes instanceof Promise ? bytes.then(jsonFrom) : jsonFrom(bytes);
}

/** The bytes can be read only once, but may be needed for both the body and the raw body. */
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

/** A promise of the result of `read` that can only be awaited. */
function awaited(name: string, read: () => unknown): Promise<unknown> {
  // An error thrown by `read` rejects the promise.
  const promise = new Promise((resolve) => resolve(read()));
  promise.catch(ignore);
  return new Proxy(promise, name === 'body' ? BODY_TRAPS : RAW_BODY_TRAPS);
}

/** Code that only checks whether there is a body does not await it, so its error must not be unhandled. */
function ignore(): void {}

let hasFields = false;

/** Allows reading a field of a body that has not arrived yet. The field is a promise as well. */
export function allowBodyFields(areAllowed: boolean): void {
  hasFields = areAllowed;
}

function fieldOf(body: unknown, name: string): unknown {
  return body !== null && body !== undefined && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;
}

/** Throws for operations that would silently find nothing in a promise: reading fields, their names or their number. */
function traps(name: string): ProxyHandler<Promise<unknown>> {
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
      return hasFields ? promise.then((body) => fieldOf(body, key)) : refuse(`.${key}`);
    },
    has: (_, key) => typeof key !== 'symbol' && refuse(`.${key}`),
    set: (_, key) => refuse(`.${String(key)} = …`),
    ownKeys: () => refuse(''),
  };
}

const BODY_TRAPS = traps('body');
const RAW_BODY_TRAPS = traps('rawBody');
