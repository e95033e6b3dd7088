import type { Request } from 'express';
import { jsonFrom, readBytes, requireJson } from './request-body.js';

const BODY = Symbol('body');
const BYTES = Symbol('body bytes');

type BodyRequest = Request & { [BODY]?: unknown; [BYTES]?: Buffer | Promise<Buffer> };

/** Requests with these methods mostly have no body, and whoever looks at the body of every request may ask for it. */
const BODILESS = ['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE'];

/**
 * Gives requests a `body` and a `rawBody` that are read when they are asked for, so that nobody without a key can make
 * the service read or parse anything. Both are promises, as Nest awaits what a parameter is made of; every reader gets
 * the same one. Whoever forgets to await it is told so.
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
      // A middleware that reads the body itself puts its own in the place of this one.
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

/** They come from the connection once, and are asked for twice where the body and the raw body are both wanted. */
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

/** A promise of what `read` gives, with which nothing can be done but to await it. */
function awaited(name: string, read: () => unknown): Promise<unknown> {
  // What `read` throws is in the promise as well.
  const promise = new Promise((resolve) => resolve(read()));
  promise.catch(ignore);
  return new Proxy(promise, name === 'body' ? BODY_TRAPS : RAW_BODY_TRAPS);
}

/** Who only looks whether there is a body does not wait for it, and need not hear that it is broken. */
function ignore(): void {}

let hasFields = false;

/** Whether a field of a body that is not there yet may be asked for: it is a promise as well. */
export function allowBodyFields(areAllowed: boolean): void {
  hasFields = areAllowed;
}

function fieldOf(body: unknown, name: string): unknown {
  return body !== null && body !== undefined && Object.hasOwn(body, name)
    ? (body as Record<string, unknown>)[name]
    : undefined;
}

/** Refuses what would find nothing in a promise, and find it in silence: fields, their names, their number. */
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
