import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the requests of Node, Express and Fastify have in common. */
export type HttpRequest = Pick<IncomingMessage, 'headers' | 'method' | 'socket' | 'url'>;

/** The reply of Fastify, as far as errors need it. */
export interface FastifyReply {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string): unknown;
}

/** A response of Node or Express, or a reply of Fastify. */
export type HttpResponse = ServerResponse | FastifyReply;

export function isFastifyReply(response: HttpResponse): response is FastifyReply {
  return !('setHeader' in response);
}

/** The request of Node: Express extends it, Fastify wraps it. */
export function nodeRequest(request: HttpRequest): IncomingMessage {
  const { raw } = request as { raw?: Partial<IncomingMessage> };
  return (raw?.rawHeaders === undefined ? request : raw) as IncomingMessage;
}

/** The parts of a request target: the authority in absolute form (RFC 9112, section 3.2.2), the path, and the rest. */
const TARGET = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(.*)$/is;

export function partsOf(target: string): { authority: string; path: string; rest: string } {
  const [, authority = '', path = '', rest = ''] = TARGET.exec(target)!;
  return { authority, path, rest };
}

/** The path of a request, without its query string. */
export function pathOf(request: HttpRequest): string {
  const { path } = request as { path?: string };
  return path ?? partsOf(request.url!).path;
}
