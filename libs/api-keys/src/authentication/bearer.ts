/** The result of `bearerToken` for several Authorization headers. No key contains a comma. */
export const SEVERAL_HEADERS = ',';

const HEADER_NAME = 'authorization';

/**
 * The bearer token of a request (RFC 6750 section 2.1, the scheme in any case), or null when there is none: no
 * Authorization header, an empty one, or one of another scheme.
 *
 * Reads the raw headers, because Node returns the first of several Authorization headers and drops the rest: which of
 * them counts would then depend on the proxy in front.
 *
 * @param rawHeaders `IncomingMessage.rawHeaders`: names and values by turns
 */
export function bearerToken(rawHeaders: readonly string[]): string | null {
  let header: string | null = null;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!;
    if (name.length !== HEADER_NAME.length || !isAuthorization(name)) continue;
    if (header !== null) return SEVERAL_HEADERS;
    header = rawHeaders[i + 1]!;
  }
  return header === null ? null : tokenOf(header);
}

function isAuthorization(name: string): boolean {
  return name === 'Authorization' || name === HEADER_NAME || name.toLowerCase() === HEADER_NAME;
}

function tokenOf(header: string): string | null {
  // Almost every client writes it like this, which needs no regular expression.
  if (!header.startsWith('Bearer ') && !/^bearer /i.test(header)) return null;
  let start = 'Bearer '.length;
  while (header[start] === ' ') start++;
  return start < header.length ? header.slice(start) : null;
}
