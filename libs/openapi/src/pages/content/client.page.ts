import { EXAMPLE_URL } from '../page-origin.js';

/** Lines that make sense only in the repository. */
const INSTALLATION = /```sh.*\n[^]*?```/;

/** The README of the client, in Markdown, with the package that the server at `EXAMPLE_URL` offers. */
export function clientPage(readme: string, path: string): string {
  const installation = `\`\`\`sh\nnpm install ${EXAMPLE_URL}${path}\n\`\`\`\n\nOr [download the package](${path}).`;
  return readme.replace(INSTALLATION, () => installation);
}
