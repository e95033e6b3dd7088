import { type Limits, limitsOf } from './limits.js';
import type { OperationName } from './operation-name.js';

/** Facts about a response, besides its body. */
export interface ResponseInfo {
  operation: OperationName;
  /** The HTTP status. */
  status: number;
  /** The id under which the service logged the request. */
  requestId: string | null;
  /** The rate limit after this request; null when the response is not from the service. */
  limits: Limits | null;
  /** The number of earlier tries of the same call. */
  retry: number;
}

export function responseInfo(
  operation: OperationName,
  { status, headers }: Response,
  retry: number,
): ResponseInfo {
  return { operation, status, requestId: headers.get('X-Request-Id'), limits: limitsOf(headers), retry };
}
