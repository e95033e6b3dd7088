import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** One encoding of a content, in a buffer that all its responses share. */
export interface Encoding {
  /** As in `Content-Encoding`. */
  readonly name: string;
  readonly bytes: Buffer | Promise<Buffer>;
}

/** What is sent again and again while the server runs. */
export interface StaticContent {
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** The best first: browsers list what they accept in no order of preference. */
  readonly encodings: readonly Encoding[];
}

export async function sendStatic(
  request: Request,
  response: Response,
  { mediaType, cacheControl, etag, bytes, encodings }: StaticContent,
): Promise<void> {
  response.setHeader('Cache-Control', cacheControl);
  response.setHeader('ETag', etag);
  if (encodings.length > 0) response.vary('Accept-Encoding');
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  response.setHeader('Content-Type', mediaType);
  const encoding = encodings.find(({ name }) => request.acceptsEncodings(name));
  if (encoding) response.setHeader('Content-Encoding', encoding.name);
  const body = encoding ? await encoding.bytes : bytes;
  response.setHeader('Content-Length', body.length);
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** A weak tag, as it is the same for every encoding (RFC 9110, section 8.8.1). */
export function tagOf(content: Buffer): string {
  return `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
}

const compress = promisify(gzip);

/** A text that stays the same while the server runs. It is validated with an ETag, and made and compressed once. */
export class StaticText {
  private content: StaticContent | undefined;

  /**
   * @param type its media type, `text/html`
   * @param text called at the first request
   */
  constructor(
    private readonly type: string,
    private readonly text: () => string,
  ) {}

  send(request: Request, response: Response): Promise<void> {
    return sendStatic(request, response, (this.content ??= this.make()));
  }

  private make(): StaticContent {
    const bytes = Buffer.from(this.text());
    return {
      mediaType: `${this.type}; charset=utf-8`,
      cacheControl: 'no-cache',
      etag: tagOf(bytes),
      bytes,
      encodings: [{ name: 'gzip', bytes: compress(bytes) }],
    };
  }
}
