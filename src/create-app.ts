import { VersioningType } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Clock } from '@animal-store/kernel';
import { withoutPort } from '@animal-store/kernel/http';
import { explainMissingDataSource } from '@animal-store/database';
import { RouteTable } from '@animal-store/http-errors';
import { describeApi } from '@animal-store/openapi';
import { Pages } from '@animal-store/openapi/pages';
import { corsOptions, JsonExpressAdapter, requireListedVersions } from '@animal-store/web';
import { apiDescription } from './api-overview.js';
import { AppModule, type AppParts } from './app.module.js';
import type { Settings } from './settings/settings.js';
import { VERSIONS } from './version.js';

type TrustsProxy = (address: string, hop: number) => boolean;

/** Creates the application for the server, ready to listen. */
export async function createApp(parts: AppParts): Promise<NestExpressApplication> {
  const { settings, logger } = parts;
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.forRoot(parts),
    new JsonExpressAdapter(settings.server.reusePort),
    { bodyParser: false, logger, abortOnError: false },
  ).catch((error: unknown) => {
    throw explainMissingDataSource(error);
  });
  configureApp(app, settings);
  return app;
}

/**
 * Configures what modules of Nest cannot provide. Call it before `init` or `listen`.
 *
 * @param describe makes the OpenAPI document; a suite makes it once for all its tests, as it is slow
 */
export function configureApp(app: NestExpressApplication, settings: Settings, describe = describeApi): void {
  const { trustProxy, corsOrigins } = settings.server;
  app.set('trust proxy', trustProxy);
  const trusts = app.getHttpAdapter().getInstance().get('trust proxy fn') as TrustsProxy;
  app.set('trust proxy', (address: string, hop: number) => trusts(withoutPort(address), hop));
  app.enableVersioning({ type: VersioningType.URI, defaultVersion: VERSIONS[0] });
  const { routes } = app.get(RouteTable);
  requireListedVersions(routes, VERSIONS);
  if (corsOrigins.length > 0) {
    const methods = routes.map(({ method }) => method);
    app.enableCors(corsOptions(corsOrigins, methods));
  }
  app.get(Pages).serve(app, describe(app, apiDescription(settings, app.get(Clock))));
}
