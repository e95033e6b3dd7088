import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the requests of Node, Express and Fastify have in common. */
export type HttpRequest = Pick<IncomingMessage, 'headers' | 'method' | 'socket' | 'url'>;

/** The reply of Fastify, as far as headers go. */
interface FastifyReply {
  hasHeader(name: string): boolean;
  getHeader(name: string): number | string | string[] | undefined;
  header(name: string, value: string | string[]): unknown;
}

/** A response of Node or Express, or a reply of Fastify. */
export type HttpResponse = ServerResponse | FastifyReply;

export function setHeader(response: HttpResponse, name: string, value: string): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}

export function appendHeader(response: HttpResponse, name: string, value: string): void {
  if ('appendHeader' in response) response.appendHeader(name, value);
  else response.header(name, [...[response.getHeader(name) ?? []].flat().map(String), value]);
}
