import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

const compress = promisify(gzip);

/** A text that stays the same while the server runs. It is validated with an ETag and compressed once. */
export class StaticText {
  private readonly content: Buffer;
  private readonly etag: string;
  private compressed: Promise<Buffer> | undefined;

  /** @param type its media type, `text/html` */
  constructor(
    private readonly type: string,
    text: string,
  ) {
    this.content = Buffer.from(text);
    // Weak, as it is the same for every encoding (RFC 9110, section 8.8.1).
    this.etag = `W/"${createHash('sha256').update(this.content).digest('base64url').slice(0, 27)}"`;
  }

  async send(request: Request, response: Response): Promise<void> {
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader('ETag', this.etag);
    response.vary('Accept-Encoding');
    if (request.fresh) {
      response.status(304).end();
      return;
    }
    response.setHeader('Content-Type', `${this.type}; charset=utf-8`);
    const isCompressed = request.acceptsEncodings(['gzip', 'identity']) === 'gzip';
    if (isCompressed) response.setHeader('Content-Encoding', 'gzip');
    const body = isCompressed ? await (this.compressed ??= compress(this.content)) : this.content;
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }
}
