import type { IncomingMessage } from 'node:http';

/** What the requests of Node, Express and Fastify have in common. */
export type HttpRequest = Pick<IncomingMessage, 'headers' | 'method' | 'socket' | 'url'>;

/** The request of Node: Express extends it, Fastify wraps it. */
export function nodeRequest(request: HttpRequest): IncomingMessage {
  const { raw } = request as { raw?: Partial<IncomingMessage> };
  return (raw?.rawHeaders === undefined ? request : raw) as IncomingMessage;
}
