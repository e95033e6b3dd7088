import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Registry } from 'prom-client';

/** Serves what `read` returns at `/metrics`. */
export function metricsEndpoint(read: () => Promise<string>): Server {
  return createServer((request, response) => {
    respond(request, response, read).catch(() => response.destroy());
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  read: () => Promise<string>,
): Promise<void> {
  if (request.url !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.writeHead(405, { Allow: 'GET, HEAD' }).end();
    return;
  }
  response.writeHead(200, { 'Content-Type': Registry.PROMETHEUS_CONTENT_TYPE }).end(await read());
}
