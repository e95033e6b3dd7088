import { hash } from 'node:crypto';
import type { Request, Response } from 'express';
import { toJson } from '../../shared/json.js';

/**
 * A resource as JSON text, with headers that go with it. A handler returns one instead of the resource where there is
 * more to say than the resource: where it was created, where the next page is. One Reply can be sent any number of times:
 * its text, its bytes and its tag are made once.
 */
export class Reply {
  private tag: string | undefined;
  private octets: string | undefined;

  constructor(
    readonly json: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** A strong entity tag: the same bytes have the same tag (RFC 9110, section 8.8.3). */
  get entityTag(): string {
    return (this.tag ??= `"${hash('sha1', this.json, 'base64url')}"`);
  }

  /** The body in UTF-8, a character a byte: Node sends such a string together with the headers, in one piece. */
  get bytes(): string {
    return (this.octets ??= bytesOf(this.json));
  }
}

/** Statuses whose responses have no body: Express knows what goes with it. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Sends an object that a handler returned, as Express's `response.json` would, but for this: a bigint is an exact number,
 * and a 200 of GET has a strong tag, must be asked for again, and is not sent to whoever has it already. A `Content-Type`
 * that is set already stays, and everything else is Express's then.
 */
export function sendJson(response: Response, body: object): unknown {
  const reply = body instanceof Reply ? body : new Reply(toJson(body));
  for (const name in reply.headers) response.appendHeader(name, reply.headers[name]!);
  const isTyped = response.hasHeader('Content-Type');
  if (!isTyped && !WITHOUT_BODY.includes(response.statusCode)) return sendReply(response, reply);
  if (!isTyped) response.type('json');
  return response.send(reply.json);
}

function sendReply(response: Response, reply: Reply): unknown {
  const { req: request } = response;
  const readsOnly = request.method === 'GET' || request.method === 'HEAD';
  if (readsOnly && response.statusCode === 200) {
    response.setHeader('ETag', reply.entityTag);
    if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
    response.appendHeader('Vary', 'Authorization');
    if (namesTag(request, reply.entityTag)) {
      response.statusCode = 304;
      return response.end();
    }
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', reply.bytes.length);
  // RFC 9110, section 9.3.2: HEAD is answered with the headers of GET, without its body.
  return request.method === 'HEAD' ? response.end() : response.end(reply.bytes, 'latin1');
}

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2). */
function namesTag(request: Request, entityTag: string): boolean {
  const condition = request.headers['if-none-match'];
  if (condition === undefined) return false;
  return (
    condition.trim() === '*' ||
    condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === entityTag)
  );
}

function bytesOf(text: string): string {
  // As many bytes as characters: all of them ASCII.
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}
