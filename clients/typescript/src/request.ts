import { withBigints } from './int64.js';
import { toJson } from './json.js';
import type { CallOptions } from './method.js';
import type { OperationName } from './operation-name.js';
import { OPERATIONS } from './operations.js';

/** The request of a call; the same for all its tries. */
export interface PreparedRequest {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | undefined;
  /** Whether sending it twice has the same effect as sending it once. */
  isRepeatable: boolean;
}

type Fields = Record<string, string | number | bigint | boolean | null | undefined>;

/**
 * @param input path and query parameters and the fields of the body, in one object
 * @throws TypeError or RangeError for an invalid int64 or a missing path parameter
 */
export function prepareRequest(
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
  name: OperationName,
  input: object = {},
  { idempotencyKey }: CallOptions = {},
): PreparedRequest {
  const { method, path, query, hasBody, takesIdempotencyKey, input: shape } = OPERATIONS[name];
  const fields = withBigints(input, shape) as Fields;
  const url = new URL(baseUrl.replace(/\/$/, '') + fillPath(path, fields));
  for (const parameter of query) {
    const value = take(fields, parameter);
    if (value !== undefined) url.searchParams.set(parameter, String(value));
  }
  const headers: Record<string, string> = { Authorization: `Bearer ${apiKey}`, Accept: 'application/json' };
  // The same key for all tries, so that the service treats them as one request.
  if (takesIdempotencyKey) headers['Idempotency-Key'] = idempotencyKey ?? crypto.randomUUID();
  if (hasBody) headers['Content-Type'] = 'application/json';
  const body = hasBody ? toJson(fields) : undefined;
  return { url, method, headers, body, isRepeatable: method === 'GET' || takesIdempotencyKey };
}

function fillPath(path: string, fields: Fields): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = take(fields, name);
    if (value === undefined || value === null || value === '') throw new TypeError(`${name} is required.`);
    return encodeURIComponent(String(value));
  });
}

function take(fields: Fields, name: string): Fields[string] {
  const { [name]: value } = fields;
  delete fields[name];
  return value;
}
