import { createHash } from 'node:crypto';
import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Express, type Request, type Response } from 'express';
import { toJson } from './json.js';
import { Reply } from './reply.js';

/** How often connections are held against the time-outs; Node's own default of 30 s would make 10 s mean 40. */
const TIMEOUT_CHECK_MS = 1_000;

/**
 * Express as this service uses it: the platform of Nest, with two costs taken out and one rule put in.
 *
 * - Express gives every request and response its own prototypes with `Object.setPrototypeOf`, which makes V8 forget
 *   all it knows about their shape. Here they carry those prototypes from birth, so the call changes nothing.
 * - Answers are JSON text written in one piece, not passed through content negotiation.
 * - A bigint in an answer is an exact JSON number.
 */
export class JsonExpressAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<Express>();
    class ServiceRequest extends IncomingMessage {}
    class ServiceResponse extends ServerResponse<ServiceRequest> {}
    app.request = withPrototypeOf(ServiceRequest, app.request);
    app.response = withPrototypeOf(ServiceResponse, app.response);
    this.httpServer = createServer(
      {
        IncomingMessage: ServiceRequest,
        ServerResponse: ServiceResponse,
        connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      },
      app,
    );
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (body instanceof StreamableFile) return super.reply(response, body, statusCode);
    if (statusCode) response.statusCode = statusCode;
    if (body instanceof Reply) {
      for (const name in body.headers) response.appendHeader(name, body.headers[name]!);
      return writeJson(response, body.json);
    }
    return body === undefined || body === null ? response.end() : writeJson(response, toJson(body));
  }
}

/** Puts what Express added to its prototype behind the class that Node makes the objects from. */
function withPrototypeOf<T extends object>(type: { prototype: object }, prototype: T): T {
  Object.setPrototypeOf(type.prototype, prototype);
  return type.prototype as T;
}

function writeJson(response: Response, text: string): unknown {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const { req: request } = response;
  if (response.statusCode === 200 && (request.method === 'GET' || request.method === 'HEAD')) {
    const etag = entityTag(text);
    response.setHeader('ETag', etag);
    if (!response.hasHeader('Cache-Control')) response.setHeader('Cache-Control', 'private, no-cache');
    response.setHeader('Vary', 'Authorization');
    if (matches(request, etag)) {
      response.statusCode = 304;
      response.removeHeader('Content-Type');
      return response.end();
    }
  }
  response.setHeader('Content-Length', Buffer.byteLength(text));
  return response.end(request.method === 'HEAD' ? undefined : text);
}

/** A strong entity tag: the same bytes have the same tag (RFC 9110, section 8.8.3). */
function entityTag(text: string): string {
  return `"${createHash('sha1').update(text).digest('base64url')}"`;
}

/** Whether `If-None-Match` names this tag, by weak comparison (RFC 9110, section 13.1.2). */
function matches(request: Request, etag: string): boolean {
  const condition = request.headers['if-none-match'];
  if (condition === undefined) return false;
  return (
    condition.trim() === '*' || condition.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  );
}
