import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpError, httpErrorFrom } from '@animal-store/http-errors';
import { refuse } from '../responses/error.mapper.js';

/** Responds to what cannot be read as a request. */
export type Refuse = (response: ServerResponse, error: HttpError) => void;

/** Counts a request and sets the limit headers. It throws, or rejects with, the 429 of a caller without requests left. */
type Count = (request: IncomingMessage, response: ServerResponse) => true | Promise<true>;

/**
 * What cannot be read as a request is counted, as far as its caller is known, like a request without a key. Its response closes
 * the connection.
 */
export function countedRefusals(count: Count): Refuse {
  return (response, error) => {
    response.shouldKeepAlive = false;
    const counted = new Promise((resolve) => resolve(count(response.req, response)));
    void counted.then(
      () => refuse(response, error),
      (refusal: unknown) => refuse(response, httpErrorFrom(refusal)),
    );
  };
}
