import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { RouteTable } from '#libs/http-errors';
import { AppModule, type AppParts } from './app.module.js';
import { Connections } from './http/connections.js';
import { corsOptions } from './http/preflight.js';
import { JsonExpressAdapter } from './http/express-adapter.js';
import { prepareParameters } from './http/handler-parameters.js';
import { provideBody } from './http/lazy-body.js';
import { parseQuery } from './http/query-parser.js';
import { BODY_LIMIT_SETTING } from './http/request-body.js';
import { limitServer } from './http/server-limits.js';
import { VERSION_PREFIX, versioning } from './http/versioning.js';
import { describeApi } from './openapi/document.js';
import { serveExplorer } from './openapi/explorer.js';
import { ConnectionDrops } from './operations/connection-drops.js';

/** The application as the server and the tests run it, ready to listen. */
export async function createApp(parts: AppParts): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(parts),
    new JsonExpressAdapter(),
    // The body is read by the handlers that want one, after the guards (src/http/lazy-body.ts).
    { bodyParser: false, logger: parts.logger, abortOnError: false },
  );
  const { server: limits } = parts.settings;
  const express: Express = app.getHttpAdapter().getInstance();
  provideBody(express.request);
  app.set('query parser', parseQuery);
  app.set('trust proxy', limits.trustProxy);
  app.set(BODY_LIMIT_SETTING, limits.bodyLimitBytes);
  app.enableVersioning(versioning);

  const { routes } = app.get(RouteTable);
  prepareParameters(routes.filter(({ path }) => path.startsWith(`${VERSION_PREFIX}/`)));

  const server = app.getHttpServer();
  const drops = app.get(ConnectionDrops);
  server.on('drop', () => drops.dropped('too many connections'));
  limitServer(server, express, limits, app.get(Connections));

  if (limits.corsOrigins.length > 0) app.enableCors(corsOptions(limits.corsOrigins));
  serveExplorer(express, describeApi(app, parts.settings));
  return app;
}
