import type { IncomingMessage } from 'node:http';

/**
 * What is wrong with a request as an HTTP message, or null. The parser has seen to the rest; it takes requests
 * without a Host header because its own answer to them would be no Error object.
 */
export function messageProblem(request: IncomingMessage): string | null {
  const hosts = hostCount(request.rawHeaders);
  // RFC 9112, section 3.2. HTTP/1.0 knew no Host.
  const isFit = hosts === 1 || (hosts === 0 && request.httpVersionMinor === 0);
  return isFit ? null : 'The request must have exactly one Host header.';
}

/** Counted in the raw headers, as Node keeps the first Host and drops the others. */
function hostCount(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === 4 && (name === 'Host' || name.toLowerCase() === 'host')) count++;
  }
  return count;
}
