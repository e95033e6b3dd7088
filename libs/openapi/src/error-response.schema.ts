import { errorResponse as documented } from '@animal-store/http-errors/swagger';
import { RATE_LIMIT_HEADERS } from '@animal-store/rate-limiting';
import { type ErrorDescription, REQUEST_ID } from '@animal-store/web';
import { RESPONSE_HEADERS } from './response-headers.js';

const EVERY_RESPONSE = [REQUEST_ID, ...RATE_LIMIT_HEADERS, 'X-Content-Type-Options'];

const HEADERS_BY_STATUS: Readonly<Record<number, readonly string[]>> = {
  401: ['WWW-Authenticate'],
  403: ['WWW-Authenticate'],
  416: ['Content-Range'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The OpenAPI response of one status of 400 and above: its errors, with an example of each. */
export function errorResponse(status: number, errors: readonly ErrorDescription[]) {
  const { description, content } = documented(errors);
  const headers = responseHeaders(['Cache-Control', 'Link', ...(HEADERS_BY_STATUS[status] ?? [])]);
  // One of the errors with this status has it; the others do not.
  const retry = { 'Retry-After': { ...RESPONSE_HEADERS['Retry-After'], required: false } };
  const isInProgress = errors.some(({ code }) => code === 'idempotency_in_progress');
  return { description, headers: { ...headers, ...(isInProgress && retry) }, content };
}

/** Response headers are described once, in the document's components. */
export function responseHeaders(names: readonly string[]): Record<string, { $ref: string }> {
  const all = [...EVERY_RESPONSE, ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
