import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { RouteTable } from '@animal-store/http-errors';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import { CreateKey } from './access/application/create-key.use-case.js';
import { AppModule, type AppParts } from './app.module.js';
import { Connections } from './platform/http/connections.js';
import { JsonExpressAdapter } from './platform/http/express-adapter.js';
import { refuseOpenGateways } from './platform/http/open-gateways.js';
import { requireRules } from './platform/http/declared-inputs.js';
import { corsOptions } from './platform/http/preflight.js';
import { parseQuery } from './platform/http/query-parser.js';
import { BODY_LIMIT_SETTING } from './platform/http/request-body.js';
import { countedRefusals } from './platform/http/refusals.js';
import { limitServer } from './platform/http/server-limits.js';
import { versioning } from './platform/http/versioning.js';
import { describeApi } from './platform/openapi/document.js';
import { servePages } from './platform/pages/pages.js';
import { ConnectionDrops } from './platform/operations/connection-drops.js';
import { Readiness } from './platform/operations/health/readiness.js';

/**
 * Creates the application for the server and for tests, ready to listen.
 *
 * @param describe makes the OpenAPI document; a suite makes it once for all its tests, as it takes long
 */
export async function createApp(parts: AppParts, describe = describeApi): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(parts),
    new JsonExpressAdapter(),
    // The last guard reads the body.
    { bodyParser: false, logger: parts.logger, abortOnError: false },
  );
  const { server: limits } = parts.settings;
  const express: Express = app.getHttpAdapter().getInstance();
  const routes = app.get(RouteTable);
  app.set('query parser', parseQuery);
  app.set('trust proxy', limits.trustProxy);
  app.set(BODY_LIMIT_SETTING, limits.bodyLimitBytes);
  app.enableVersioning(versioning);

  requireRules(routes.routes);

  const server = app.getHttpServer();
  const drops = app.get(ConnectionDrops);
  server.on('drop', () => drops.dropped('too many connections'));
  const limiter = app.get(PlanThrottlerGuard);
  const refuse = countedRefusals((request, response) => limiter.admit(request, response));
  limitServer(server, express, limits, app.get(Connections), refuse);
  refuseOpenGateways(app.get(ModulesContainer));

  if (limits.corsOrigins.length > 0) {
    const methods = routes.routes.map(({ method }) => method);
    app.enableCors(corsOptions(limits.corsOrigins, methods));
  }
  servePages(express, {
    document: describe(app, parts.settings),
    routes: routes.routes,
    readiness: app.get(Readiness),
    settings: parts.settings,
    clock: parts.clock,
    issueKey: parts.settings.mode === 'development' ? () => issueBrowserKey(app) : null,
  });
  return app;
}

const WEEK_MS = 604_800_000;

async function issueBrowserKey(app: NestExpressApplication): Promise<string> {
  const key = { name: 'explorer', plan: 'free', expiresInMs: WEEK_MS } as const;
  return (await app.get(CreateKey).execute(key)).text;
}
