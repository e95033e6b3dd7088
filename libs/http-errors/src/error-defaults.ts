/** The code and message of a status when the error itself has none that may be shown. */
export interface ErrorDefaults {
  readonly code: string;
  readonly message: string;
}

const BY_STATUS = new Map<number, ErrorDefaults>([
  [400, { code: 'bad_request', message: 'The request is malformed.' }],
  [401, { code: 'unauthorized', message: 'The request has no valid credentials.' }],
  [403, { code: 'forbidden', message: 'The credentials do not allow this request.' }],
  [404, { code: 'not_found', message: 'The resource does not exist.' }],
  [405, { code: 'method_not_allowed', message: 'The path does not support this method.' }],
  [406, { code: 'not_acceptable', message: 'The service only sends application/json.' }],
  [408, { code: 'request_timeout', message: 'The request did not arrive in time.' }],
  [409, { code: 'conflict', message: 'The request conflicts with the current state.' }],
  [410, { code: 'gone', message: 'The resource is gone.' }],
  [412, { code: 'precondition_failed', message: 'A condition in the request headers is false.' }],
  [413, { code: 'payload_too_large', message: 'The request body is too large.' }],
  [414, { code: 'uri_too_long', message: 'The request target is too long.' }],
  [415, { code: 'unsupported_media_type', message: 'The media type of the request body is not supported.' }],
  [422, { code: 'unprocessable', message: 'The request cannot be processed.' }],
  [429, { code: 'rate_limit_exceeded', message: 'Too many requests. Try again later.' }],
  [431, { code: 'headers_too_large', message: 'The request headers are too large.' }],
  [503, { code: 'service_unavailable', message: 'The service is unavailable. Try again shortly.' }],
]);

const OTHER_CLIENT_ERROR: ErrorDefaults = { code: 'bad_request', message: 'The request cannot be served.' };
const OTHER_SERVER_ERROR: ErrorDefaults = {
  code: 'internal_error',
  message: 'The service failed to process the request.',
};

/** The statuses with their own code. Any other 4xx is `bad_request`, any other 5xx `internal_error`. */
export const CODED_STATUSES: readonly number[] = [...BY_STATUS.keys()];

export function errorDefaults(status: number): ErrorDefaults {
  return BY_STATUS.get(status) ?? (status < 500 ? OTHER_CLIENT_ERROR : OTHER_SERVER_ERROR);
}
