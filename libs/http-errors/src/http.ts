import type { IncomingMessage, ServerResponse } from 'node:http';

/** The reply of Fastify, as far as errors need it. Its headers replace those of Node's response when it is sent. */
export interface FastifyReply extends Pick<ServerResponse, 'getHeader'> {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string | string[]): unknown;
  send(body?: string): unknown;
}

export function isFastifyReply(response: ServerResponse | FastifyReply): response is FastifyReply {
  return !('setHeader' in response);
}

/** The request of Node: Express extends it, Fastify wraps it. */
export function nodeRequest(request: IncomingMessage): IncomingMessage {
  const { raw } = request as { raw?: Partial<IncomingMessage> };
  return (raw?.rawHeaders === undefined ? request : raw) as IncomingMessage;
}

/** The parts of a request target: the authority in absolute form (RFC 9112, section 3.2.2), the path, and the rest. */
const TARGET = /^([a-z][a-z\d+.-]*:\/\/[^/?#]*)?([^?#]*)(.*)$/is;

export function partsOf(target: string): { authority: string; path: string; rest: string } {
  const [, authority = '', path = '', rest = ''] = TARGET.exec(target)!;
  return { authority, path, rest };
}
