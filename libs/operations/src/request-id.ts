import { randomBytes } from 'node:crypto';

/** Fits in a header and, without escaping, in a line of the log. */
const FIT = /^[\x21\x23-\x26\x28-\x5b\x5d-\x7e]{1,128}$/;

// 64 random bits distinguish processes: a collision takes billions of starts.
const processPart = randomBytes(8).toString('hex');
let made = 0;

/** The id that the caller sent, or a new one when it is missing, unsuitable or an API key in the wrong header. */
export function requestIdFrom(header: string | string[] | undefined): string {
  const isFit = typeof header === 'string' && FIT.test(header) && !header.includes('ask_');
  return isFit ? header : `${processPart}-${(++made).toString(36)}`;
}
