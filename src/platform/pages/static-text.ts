import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

interface Prepared {
  readonly content: Buffer;
  readonly etag: string;
  compressed?: Promise<Buffer>;
}

/** A text that stays the same while the server runs. It is validated with an ETag, and made and compressed once. */
export class StaticText {
  private prepared: Prepared | undefined;

  /**
   * @param type its media type, `text/html`
   * @param text called at the first request
   */
  constructor(
    private readonly type: string,
    private readonly text: () => string,
  ) {}

  async send(request: Request, response: Response): Promise<void> {
    const prepared = (this.prepared ??= prepare(this.text()));
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', prepared.etag);
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', `${this.type}; charset=utf-8`);
    const isCompressed = Boolean(request.acceptsEncodings('gzip'));
    if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
    const body = isCompressed ? await (prepared.compressed ??= compress(prepared.content)) : prepared.content;
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}

function prepare(text: string): Prepared {
  const content = Buffer.from(text);
  const hash = createHash('sha256').update(content).digest('base64url').slice(0, 27);
  // Weak, as it is the same for every encoding (RFC 9110, section 8.8.1).
  return { content, etag: `W/"${hash}"` };
}
