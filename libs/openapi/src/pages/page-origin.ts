/** What pages show until it is known where the caller has reached the server. */
export const EXAMPLE_URL = 'http://localhost:3000';

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The page with the address of this server. An origin has no character that has to be escaped. */
export function withOrigin(page: string, origin: string): string {
  return page.replaceAll(EXAMPLE_URL, origin);
}

/** Where a caller has reached the server, if its `Host` can be shown. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && HOST.test(host) ? `${protocol}://${host}` : EXAMPLE_URL;
}
