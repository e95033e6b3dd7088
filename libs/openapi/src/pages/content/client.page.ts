/** Lines that make sense only in the repository. */
const INSTALLATION = /```sh\n[^]*?```/;
const EXAMPLE_URL = 'http://localhost:3000';
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The README of the client, in Markdown, with the package that the server at `EXAMPLE_URL` offers. */
export function clientPage(readme: string, path: string): string {
  const installation = `\`\`\`sh\nnpm install ${EXAMPLE_URL}${path}\n\`\`\`\n\nOr [download the package](${path}).`;
  return readme.replace(INSTALLATION, () => installation);
}

/** The page with the address of this server. An origin has no character that has to be escaped. */
export function withOrigin(page: string, origin: string): string {
  return page.replaceAll(EXAMPLE_URL, origin);
}

/** Where a caller has reached the server, if its `Host` can be shown. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && HOST.test(host) ? `${protocol}://${host}` : EXAMPLE_URL;
}
