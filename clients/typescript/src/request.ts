import { OPERATIONS, VERSION } from './generated/operations.js';
import { withBigints } from './json/int64.js';
import { toJson } from './json/json.js';
import type { CallOptions, OperationName } from './method.js';

/** Where requests go, and what each of them has. */
export interface Destination {
  /** The URL of the service, including its version: `https://store.example/v1`. */
  baseUrl: string;
  /** The credential, or a function that returns it: called before every attempt, so a key may be rotated. */
  apiKey: string | (() => string | Promise<string>);
  /** Further headers of every request, such as a `User-Agent`. They replace headers of the same name. */
  headers?: Readonly<Record<string, string>>;
}

type Value = string | number | bigint | boolean | null | undefined;
type Fields = Record<string, Value | Value[]>;

/**
 * The request of a call; the same for all its attempts.
 *
 * @param input path and query parameters and the fields of the body, in one object
 * @param options those of the headers that the operation accepts, too
 * @throws TypeError or RangeError for an invalid int64, a missing path parameter or an empty list
 */
export function prepareRequest(
  { baseUrl, headers: ofClient }: Pick<Destination, 'baseUrl' | 'headers'>,
  name: OperationName,
  input: object = {},
  options: CallOptions = {},
) {
  const { line, isAtRoot, headers: accepted = [], body: kind, result, input: shape } = OPERATIONS[name];
  const [method, path, ...query] = line.split(/[ ?&]/) as [string, string, ...string[]];
  const { bytes, mediaType, ...values } = input as {
    bytes?: Blob | Uint8Array<ArrayBuffer>;
    mediaType?: string;
  };
  const fields = withBigints(kind === 'bytes' ? values : input, shape) as Fields;
  const { origin, pathname } = new URL(baseUrl);
  const below = origin + pathname.replace(isAtRoot ? /(\/v\d+)?\/*$/ : /\/*$/, '');
  const url = new URL(below + fillPath(path, fields));
  for (const parameter of query) {
    for (const value of valuesOf(fields, parameter)) url.searchParams.append(parameter, String(value));
  }

  const headers = new Headers({ Accept: result === 'bytes' ? '*/*' : 'application/json' });
  // A browser sends its own, and first checks with the service whether a page of another origin may change it.
  const { navigator } = globalThis as { navigator?: { userAgent?: string } };
  if (!navigator?.userAgent?.startsWith('Mozilla')) {
    headers.set('User-Agent', `animal-store-client/${VERSION}`);
  }
  if (kind !== undefined) headers.set('Content-Type', kind === 'bytes' ? mediaType! : 'application/json');
  for (const header of accepted) {
    // One key for all attempts, so that the service treats them as one request. Pages without TLS have no randomUUID.
    const byDefault = () =>
      header === 'Idempotency-Key' ? crypto.getRandomValues(new Uint32Array(4)).join('-') : undefined;
    const value = (options as Record<string, string | undefined>)[optionOf(header)] ?? byDefault();
    if (value !== undefined) headers.set(header, value);
  }
  for (const [header, value] of Object.entries({ ...ofClient, ...options.headers })) {
    headers.set(header, value);
  }

  const body = kind === 'bytes' ? bytes : kind === 'json' ? toJson(fields) : undefined;
  // Whether sending it twice has the same effect as sending it once.
  const isRepeatable = ['GET', 'DELETE'].includes(method) || accepted.includes('Idempotency-Key');
  return { url, method, headers, body, isRepeatable };
}

function fillPath(path: string, fields: Fields): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = removeField(fields, name);
    // A URL drops dots, and the key `.` would be the list of keys.
    if (/^\.{0,2}$/.test(String(value ?? ''))) throw new TypeError(`${name} is required.`);
    return encodeURIComponent(String(value));
  });
}

/** A list is sent as one parameter for each of its values: `status=placed&status=completed`. */
function valuesOf(fields: Fields, parameter: string): Value[] {
  const value = removeField(fields, parameter);
  if (value === undefined) return [];
  const values = Array.isArray(value) ? value : [value];
  // Without a value the parameter would not be sent, and a filter that matches nothing would match everything.
  if (values.length === 0) throw new TypeError(`${parameter} must have a value, or be left out.`);
  return values;
}

/** `ifMatch` for `If-Match`. */
function optionOf(header: string): string {
  return header.toLowerCase().replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function removeField(fields: Fields, name: string): Value | Value[] {
  const { [name]: value } = fields;
  delete fields[name];
  return value;
}
