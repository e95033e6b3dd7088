import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import { explainMissingDataSource } from '@animal-store/database';
import { HttpErrorFilter, RouteTable } from '@animal-store/http-errors';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import {
  corsOptions,
  doubtfulInputs,
  FrontDoor,
  JsonExpressAdapter,
  refuseOpenGateways,
  takeStreams,
  requireListedVersions,
  versioning,
} from '@animal-store/web';
import { describeApi } from '@animal-store/openapi';
import { PageErrorFilter, servePages } from '@animal-store/openapi/pages';
import { Readiness } from '@animal-store/operations';
import { CreateKey } from './access/application/create-key.use-case.js';
import { ABOUT, apiDescription } from './api-overview.js';
import { AppModule, type AppParts } from './app.module.js';
import { adaptGuide, guideOfError } from './guides.js';
import { SERVICE, VERSIONS } from './version.js';

/**
 * Creates the application for the server and for tests, ready to listen.
 *
 * @param describe makes the OpenAPI document; a suite makes it once for all its tests, as it takes long
 */
export async function createApp(parts: AppParts, describe = describeApi): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(parts),
    new JsonExpressAdapter(parts.settings.server.reusePort),
    // The last guard reads the body.
    { bodyParser: false, logger: parts.logger, abortOnError: false },
  ).catch((error: unknown) => {
    throw explainMissingDataSource(error);
  });
  const {
    server: limits,
    rateLimits: { free, pro, business },
    api,
  } = parts.settings;
  const express: Express = app.getHttpAdapter().getInstance();
  const routes = app.get(RouteTable);
  app.set('trust proxy', limits.trustProxy);
  app.enableVersioning(versioning);

  requireListedVersions(routes.routes, VERSIONS);
  takeStreams(routes.routes);
  for (const doubt of doubtfulInputs(routes.routes)) parts.logger.warn(doubt);

  const limiter = app.get(PlanThrottlerGuard);
  app.get(FrontDoor).open({
    server: app.getHttpServer(),
    handle: express,
    count: (request, response) => limiter.admit(request, response),
    publicPath: api.publicPath,
  });
  refuseOpenGateways(app.get(ModulesContainer));

  if (limits.corsOrigins.length > 0) {
    const methods = routes.routes.map(({ method }) => method);
    app.enableCors(corsOptions(limits.corsOrigins, methods));
  }
  const sendUnknownPage = servePages(express, {
    document: describe(app, apiDescription(parts.settings)),
    routes: routes.routes,
    readiness: app.get(Readiness),
    about: ABOUT,
    plans: { Free: free, Pro: pro, Business: business },
    client: `${SERVICE}-client`,
    usagePath: '/usage',
    limits,
    guide: (markdown) => adaptGuide(markdown, api.supportUrl),
    guideOfError,
    securityContact: api.securityContact,
    ownUrl: api.ownUrl,
    publicPath: api.publicPath,
    clock: parts.clock,
    issueKey: parts.settings.mode === 'development' ? () => issueBrowserKey(app) : null,
  });
  // Nest takes the last filter that catches an error.
  app.useGlobalFilters(new PageErrorFilter(app.get(HttpErrorFilter), sendUnknownPage));
  return app;
}

const WEEK_MS = 604_800_000;

async function issueBrowserKey(app: NestExpressApplication): Promise<string> {
  const key = { name: 'explorer', plan: 'free', expiresInMs: WEEK_MS } as const;
  return (await app.get(CreateKey).execute(key)).text;
}
