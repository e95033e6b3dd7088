import type { ServerResponse } from 'node:http';

/** A URL of a `Link` header that is a path of this server: `</v1/ships>`, and not `<//other.example>`. */
const OWN_PATH = /<(?=\/(?!\/))/g;

type WriteHead = (this: ServerResponse, ...head: Parameters<ServerResponse['writeHead']>) => ServerResponse;

/**
 * Adds `path`, which a proxy removes from the requests that it forwards, to `Location` and `Link` of a response when it
 * is sent. Code that reads or stores these headers before finds the paths of this server.
 */
export function sendUnder(path: string, response: ServerResponse): void {
  const { writeHead } = response as unknown as { readonly writeHead: WriteHead };
  response.writeHead = function (this: ServerResponse, ...head: Parameters<WriteHead>) {
    const location = this.getHeader('Location');
    if (typeof location === 'string' && /^\/(?!\/)/.test(location))
      this.setHeader('Location', path + location);
    const links = this.getHeader('Link');
    if (links !== undefined) {
      this.setHeader(
        'Link',
        [links].flat().map((link) => String(link).replace(OWN_PATH, `<${path}`)),
      );
    }
    return writeHead.apply(this, head);
  } as ServerResponse['writeHead'];
}
