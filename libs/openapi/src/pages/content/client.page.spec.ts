import { withOrigin } from '../page-layout.js';
import { clientPage } from './client.page.js';

describe('The page of the client', () => {
  it('has the address of the server in its commands and its example', () => {
    const readme =
      '# Client\n\n```sh replace="../shop=APPLICATION"\nnpm run client:pack\n```\n\n```ts\nanimalStore({ baseUrl: \'http://localhost:3000/v1\' });\n```\n';

    const page = clientPage(readme, '/docs/client/client-1.2.0.tgz');
    expect(withOrigin(page, 'https://store.example')).toBe(
      '# Client\n\n```sh\ncurl -O https://store.example/docs/client/client-1.2.0.tgz\nnpm install ./client-1.2.0.tgz\n```\n\n' +
        'Store [the package](/docs/client/client-1.2.0.tgz) with your sources: a later server has a later one, and not this.\n\n' +
        "```ts\nanimalStore({ baseUrl: 'https://store.example/v1' });\n```\n",
    );
  });
});
