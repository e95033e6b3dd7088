import type { IncomingMessage, ServerResponse } from 'node:http';

/** A request of Node, which that of Express is, or that of Fastify, which wraps one. */
export type AnyRequest = IncomingMessage | { readonly raw: IncomingMessage };

/** The reply of Fastify. Its headers replace those of Node's response when it is sent. */
export interface FastifyReply extends Pick<ServerResponse, 'getHeader' | 'hasHeader'> {
  readonly raw: ServerResponse;
  code(status: number): unknown;
  header(name: string, value: string | string[]): unknown;
  send(body?: string | Buffer): unknown;
}

/** A response of Node, which that of Express is, or the reply of Fastify. */
export type AnyResponse = ServerResponse | FastifyReply;

/** The request of Node. */
export function nodeRequest(request: AnyRequest): IncomingMessage {
  // Another library may have set `raw` to something else.
  return 'raw' in request && typeof request.raw?.rawHeaders === 'object'
    ? request.raw
    : (request as IncomingMessage);
}

/** The response of Node. */
export function nodeResponse(response: ServerResponse | { readonly raw: ServerResponse }): ServerResponse {
  return 'raw' in response ? response.raw : response;
}

export function isFastifyReply(response: AnyResponse): response is FastifyReply {
  return !('setHeader' in response);
}

/** Express has `header`, too, but its `setHeader` is that of Node and costs a fraction. */
export function setHeader(response: AnyResponse, name: string, value: string | string[]): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}

/** Adds a value to a header that is a list, such as `Link`. */
export function addToHeader(response: AnyResponse, name: string, value: string): void {
  const others = response.getHeader(name);
  setHeader(response, name, others === undefined ? value : [others, value].flat().map(String));
}
