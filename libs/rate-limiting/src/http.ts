import type { IncomingMessage, ServerResponse } from 'node:http';

/** What the requests of Node, Express and Fastify have in common. */
export type HttpRequest = Pick<IncomingMessage, 'headers' | 'method' | 'socket' | 'url'>;

/** A response of Node or Express, or a reply of Fastify. */
export type HttpResponse = ServerResponse | { header(name: string, value: string): unknown };
