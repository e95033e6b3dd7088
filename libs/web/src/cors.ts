import type { IncomingMessage } from 'node:http';
import type { NestApplicationOptions } from '@nestjs/common';
import { RATE_LIMIT_HEADERS } from '@animal-store/rate-limiting';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED } from '@animal-store/idempotency';
import { REQUEST_ID } from './request-facts.js';

type CorsOptions = Exclude<
  NonNullable<NestApplicationOptions['cors']>,
  boolean | ((...all: never[]) => unknown)
>;

/** Headers that a script of another origin may read beyond the few it always can (Fetch standard). */
const EXPOSED_HEADERS = [
  REQUEST_ID,
  ...RATE_LIMIT_HEADERS,
  'Retry-After',
  'Link',
  'Location',
  'ETag',
  'Content-Disposition',
  'Content-Range',
  IDEMPOTENT_REPLAYED,
  'Deprecation',
  'Sunset',
];

/** What tracing adds to the requests of a page: W3C Trace Context, W3C Baggage, Sentry. Otherwise they fail. */
const TRACE_HEADERS = ['traceparent', 'tracestate', 'baggage', 'sentry-trace'];

/** The maximum of Firefox; Chromium uses at most two hours. */
const PREFLIGHT_CACHED_SECONDS = 86_400;

/**
 * The CORS options for the listed origins. Preflights continue to the guards, so that they are limited too.
 *
 * @param methods those of all operations
 */
export function corsOptions(origins: readonly string[], methods: readonly string[]): CorsOptions {
  return {
    origin: [...origins],
    methods: [...new Set(['GET', 'HEAD', 'POST', ...methods])],
    allowedHeaders: [
      'Authorization',
      'Content-Type',
      IDEMPOTENCY_KEY,
      'If-Match',
      'If-None-Match',
      'Last-Event-ID',
      'Range',
      REQUEST_ID,
      ...TRACE_HEADERS,
    ],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_CACHED_SECONDS,
    preflightContinue: true,
  };
}

/** Whether a request is a preflight from one of `origins`: browsers send those without a key. */
export function isPreflightFrom(origins: readonly string[], request: IncomingMessage): boolean {
  // The cheapest check first, as it runs for every request.
  if (request.method !== 'OPTIONS') return false;
  const { origin, 'access-control-request-method': method } = request.headers;
  return method !== undefined && origins.includes(origin ?? '');
}
