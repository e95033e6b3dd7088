import { clientPage, originOf, withOrigin } from './client.page.js';

describe('The page of the client', () => {
  it('has the address of the server in its commands and its example', () => {
    const readme =
      "# Client\n\n```sh\nnpm run client:pack\n```\n\n```ts\nanimalStore({ baseUrl: 'http://localhost:3000/v1' });\n```\n";

    const page = clientPage(readme, '/docs/client/client-1.2.0.tgz');
    expect(withOrigin(page, 'https://store.example')).toBe(
      '# Client\n\n```sh\nnpm install https://store.example/docs/client/client-1.2.0.tgz\n```\n\n' +
        'Or [download the package](/docs/client/client-1.2.0.tgz).\n\n' +
        "```ts\nanimalStore({ baseUrl: 'https://store.example/v1' });\n```\n",
    );
  });

  it.each([
    ['store.example', 'https://store.example'],
    ['127.0.0.1:3000', 'https://127.0.0.1:3000'],
    ['[::1]:3000', 'https://[::1]:3000'],
    ["x';alert(1)", 'http://localhost:3000'],
    ['store.example/../', 'http://localhost:3000'],
    [undefined, 'http://localhost:3000'],
  ])('takes the address from the Host %j, if it is one', (host, origin) => {
    expect(originOf('https', host)).toBe(origin);
  });
});
