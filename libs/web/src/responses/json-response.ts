import type { Response } from 'express';
import { toJson } from '@animal-store/kernel';
import { entityTagOfText } from './conditions/entity-tag.js';
import { endIfKnown } from './conditions/if-none-match.js';

/** A resource as JSON text. It can be sent any number of times; its text, bytes and tag are computed once. */
class Representation {
  private text: string | undefined;
  private tag: string | undefined;
  private octets: string | undefined;

  constructor(private readonly resource: unknown) {}

  get json(): string {
    return (this.text ??= toJson(this.resource));
  }

  /** A strong entity tag: equal bytes have equal tags (RFC 9110, section 8.8.3). */
  get entityTag(): string {
    return (this.tag ??= entityTagOfText(this.json));
  }

  /** The body in UTF-8, one character per byte: Node sends such a string in one piece with the headers. */
  get bytes(): string {
    return (this.octets ??= bytesOf(this.json));
  }
}

/** The representations of resources that never change, for as long as the resource is in memory. */
const cached = new WeakMap<object, Representation>();

/** Caches the JSON text and the tag of a resource that is frozen throughout, as it may be returned many times. */
export function cacheRepresentation(resource: object): void {
  cached.set(resource, new Representation(resource));
}

export function representationOf(resource: object): Representation {
  return cached.get(resource) ?? new Representation(resource);
}

/** Node would copy a longer body into one string with its head. */
const JOINED_AT_MOST = 512;

/** Statuses without a body, for which Express sets the right headers. */
const WITHOUT_BODY = [204, 205, 304];

/**
 * Sends the result of a handler like Express's `response.json`, with these differences: a bigint is an exact number; a
 * 200 or 201 has a strong tag, that of its JSON unless the handler has set one; that of GET must be validated before
 * reuse, and it is not sent to a caller who has it already.
 * When a `Content-Type` is set, it stays and Express sends the body.
 */
export function sendJson(response: Response, body: object): unknown {
  const representation = representationOf(body);
  const isTyped = response.hasHeader('Content-Type');
  if (!isTyped && !WITHOUT_BODY.includes(response.statusCode)) return sendResponse(response, representation);
  if (!isTyped) response.type('json');
  return response.send(representation.json);
}

function sendResponse(response: Response, representation: Representation): unknown {
  const { req: request, statusCode } = response;
  const isRead = statusCode === 200 && (request.method === 'GET' || request.method === 'HEAD');
  if ((isRead || hasResource(request.method, statusCode)) && !response.hasHeader('ETag'))
    response.setHeader('ETag', representation.entityTag);
  if (isRead && endIfKnown(response)) return;
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  response.setHeader('Content-Length', representation.bytes.length);
  // RFC 9110, section 9.3.2: HEAD has the headers of GET, without its body.
  if (request.method === 'HEAD') return response.end();
  if (representation.bytes.length > JOINED_AT_MOST) {
    response.cork();
    response.flushHeaders();
  }
  return response.end(representation.bytes, 'latin1');
}

/** Whether the response to a change has the resource as it is now (RFC 9110, section 8.8.3). */
function hasResource(method: string, status: number): boolean {
  return (status === 200 || status === 201) && ['POST', 'PATCH', 'PUT'].includes(method);
}

function bytesOf(text: string): string {
  // A text with as many bytes as characters is ASCII.
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}
