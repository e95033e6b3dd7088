import type { ServerResponse } from 'node:http';

/** A response of Node or Express, or a reply of Fastify. */
export type HttpResponse = ServerResponse | FastifyReply;

interface FastifyReply {
  header(name: string, value: string): unknown;
}

/** Express has `header`, too, but its `setHeader` is that of Node and costs a fraction. */
export function setHeader(response: HttpResponse, name: string, value: string): void {
  if ('setHeader' in response) response.setHeader(name, value);
  else response.header(name, value);
}
