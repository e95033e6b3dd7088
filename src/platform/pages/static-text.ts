import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import { sendStatic, type StaticContent, tagOf } from './static-content.js';

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
