import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { malformedPathMiddleware } from '#libs/http-errors';
import { AppModule, type AppParts } from './app.module.js';
import type { Settings } from './config/settings.js';
import { corsOptions } from './http/preflight.js';
import { JsonExpressAdapter } from './http/express-adapter.js';
import { BODY_LIMIT_SETTING } from './http/request-body.js';
import { VERSION_PREFIX, versioning } from './http/versioning.js';
import { describeApi } from './openapi/document.js';
import { serveExplorer } from './openapi/explorer.js';
import { RequestObserver } from './operations/request-observer.js';

/** The application as the server and the tests run it, ready to listen. */
export async function createApp(parts: AppParts): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(parts),
    new JsonExpressAdapter(),
    // The body is read by the handlers that want one, after the guards (src/http/json-body.decorator.ts).
    { bodyParser: false, logger: parts.logger, abortOnError: false },
  );
  const { server: limits } = parts.settings;
  app.set('trust proxy', limits.trustProxy);
  app.set(BODY_LIMIT_SETTING, limits.bodyLimitBytes);
  app.enableVersioning(versioning);

  const observer = app.get(RequestObserver);
  // One function for all requests: a closure each would be garbage each.
  function finished(this: ServerResponse): void {
    observer.finished(this.req, this);
  }
  app.use((request: IncomingMessage, response: ServerResponse, next: () => void) => {
    observer.started(request, response);
    response.on('close', finished);
    next();
  });
  app.use(malformedPathMiddleware(VERSION_PREFIX));
  if (limits.corsOrigins.length > 0) app.enableCors(corsOptions(limits.corsOrigins));
  serveExplorer(app.getHttpAdapter().getInstance(), describeApi(app, parts.settings));
  limitServer(app.getHttpServer(), limits);
  return app;
}

/** Bounds on what one client may take of the server's time and sockets. */
function limitServer(server: Server, limits: Settings['server']): void {
  server.headersTimeout = limits.headersTimeoutMs;
  server.requestTimeout = limits.requestTimeoutMs;
  server.keepAliveTimeout = limits.keepAliveTimeoutMs;
  server.maxConnections = limits.maxConnections;
}
