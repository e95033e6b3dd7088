import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import type { Request, Response } from 'express';

/** Content that does not change while the server runs. */
export interface StaticContent {
  readonly mediaType: string;
  readonly cacheControl: string;
  readonly etag: string;
  readonly bytes: Buffer;
  /** Names as in `Content-Encoding`, the best first: browsers list what they accept in no order of preference. */
  readonly encodings: readonly { readonly name: string; readonly bytes: Buffer | Promise<Buffer> }[];
}

export async function sendStatic(
  request: Request,
  response: Response,
  { mediaType, cacheControl, etag, bytes, encodings }: StaticContent,
): Promise<void> {
  response.set({ 'Cache-Control': cacheControl, ETag: etag, 'Content-Type': mediaType });
  if (encodings.length > 0) response.vary('Accept-Encoding');
  const encoding = request.fresh ? undefined : encodings.find(({ name }) => request.acceptsEncodings(name));
  if (encoding) response.setHeader('Content-Encoding', encoding.name);
  response.send(encoding ? await encoding.bytes : bytes);
}

/** What browsers validate before they use it again, unless `more` says otherwise. */
export function staticContent(
  mediaType: string,
  bytes: Buffer,
  more: Partial<StaticContent> = {},
): StaticContent {
  // Weak, as it is the same for every encoding (RFC 9110, section 8.8.1).
  const etag = `W/"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
  return { mediaType, cacheControl: 'no-cache', etag, bytes, encodings: [], ...more };
}

const gzipped = promisify(gzip);
/** At its highest quality, as it is done once. */
const brotli = promisify(brotliCompress);

function compressed(mediaType: string, text: string): StaticContent {
  const bytes = Buffer.from(text);
  const encodings = [
    { name: 'br', bytes: brotli(bytes) },
    { name: 'gzip', bytes: gzipped(bytes) },
  ];
  return staticContent(`${mediaType}; charset=utf-8`, bytes, { encodings });
}

/** A server has few addresses. For made-up ones the text is not compressed, which costs more than sending. */
const MAX_COMPRESSED = 8;

/**
 * Sends a text that is made once, at the first request.
 *
 * @param adapt changes it for a request. The first few results that differ are compressed, once.
 */
export function sendText(
  mediaType: string,
  text: () => string | Promise<string>,
  adapt: (made: string, request: Request) => string = (made) => made,
) {
  const made = once(async () => text());
  const contents = new Map<string, StaticContent>();
  return async (request: Request, response: Response): Promise<void> => {
    const adapted = adapt(await made(), request);
    let content = contents.get(adapted);
    if (!content && contents.size < MAX_COMPRESSED)
      contents.set(adapted, (content = compressed(mediaType, adapted)));
    content ??= staticContent(`${mediaType}; charset=utf-8`, Buffer.from(adapted));
    return sendStatic(request, response, content);
  };
}

/** What `make` resolves with, called again only after it has rejected. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}
