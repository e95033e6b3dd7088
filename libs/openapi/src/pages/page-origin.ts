/** What pages show until it is known where the caller has reached the server. */
export const EXAMPLE_URL = 'http://localhost:3000';

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The page with the address of this server: its origin, and its path without the version, which need no escaping. */
export function withOrigin(page: string, address: string): string {
  return page.replaceAll(EXAMPLE_URL, address);
}

/** Where a caller has reached the server, if its `Host` can be shown. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && HOST.test(host) ? `${protocol}://${host}` : EXAMPLE_URL;
}
