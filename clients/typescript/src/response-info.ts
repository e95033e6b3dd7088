import { type Limits, limitsOf } from './limits.js';
import type { OperationName } from './operation-name.js';

/** What is worth knowing of a response besides its body. */
export interface ResponseInfo {
  operation: OperationName;
  /** The HTTP status. */
  status: number;
  /** Under which the service logged the request. */
  requestId: string | null;
  /** The quota after this request; null when something else than the service responded. */
  limits: Limits | null;
  /** How many tries of the same call came before. */
  retry: number;
}

export function responseInfo(
  operation: OperationName,
  { status, headers }: Response,
  retry: number,
): ResponseInfo {
  return { operation, status, requestId: headers.get('X-Request-Id'), limits: limitsOf(headers), retry };
}
