/** Lines that make sense only in the repository. */
const INSTALLATION = /```sh\n[^]*?```/;
const EXAMPLE_URL = 'http://localhost:3000';
const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:]+\](:\d+)?$/i;

/** The README of the client, in Markdown, with the address of this server and of the package that it offers. */
export function clientPage(readme: string, origin: string, path: string): string {
  const installation = `\`\`\`sh\nnpm install ${origin}${path}\n\`\`\`\n\nOr [download the package](${path}).`;
  return readme.replace(INSTALLATION, () => installation).replaceAll(EXAMPLE_URL, origin);
}

/** Where a caller has reached the server, if its `Host` can be shown. */
export function originOf(protocol: string, host: string | undefined): string {
  return host !== undefined && HOST.test(host) ? `${protocol}://${host}` : EXAMPLE_URL;
}
