import { EXAMPLE_URL } from '../page-layout.js';

/** Lines that make sense only in the repository. */
const INSTALLATION = /```sh.*\n[^]*?```/;

/** The README of the client, in Markdown, with the package that the server at `EXAMPLE_URL` offers. */
export function clientPage(readme: string, path: string): string {
  const name = path.split('/').at(-1);
  const installation = `\`\`\`sh
curl -O ${EXAMPLE_URL}${path}
npm install ./${name}
\`\`\`

Store [the package](${path}) with your sources: a later server has a later one, and not this.`;
  return readme.replace(INSTALLATION, () => installation);
}
