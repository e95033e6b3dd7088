import type { OpenAPIObject } from '@nestjs/swagger';
import { type Express, type NextFunction, type Request, type Response, Router } from 'express';
import { httpErrorOf, sendError } from '@animal-store/http-errors';
import { toJson } from '../../shared/json.js';
import { VERSION_PREFIX } from '../http/versioning.js';
import { Assets } from './assets.js';
import { explorerPage } from './explorer.page.js';
import { PATHS } from './page-layout.js';
import { StaticText } from './static-text.js';

/** Sends a page, or calls `next` to leave the request to the routes of Nest. */
type Page = (request: Request, response: Response, next: NextFunction) => unknown;

/**
 * Serves what people read in a browser, all from this server. The OpenAPI document is not printed by @nestjs/swagger,
 * whose `JSON.stringify` would round the bounds of int64.
 */
export function servePages(server: Express, document: OpenAPIObject): void {
  const pages = routerOf(document);
  server.use((request, response, next) => {
    // Calls of the API pass in one step.
    if (request.url.startsWith(VERSION_PREFIX)) next();
    else pages(request, response, next);
  });
}

function routerOf(document: OpenAPIObject): Router {
  const router = Router();
  const assets = Assets.open();
  const policy = contentSecurityPolicy(document);
  const html = (text: string): Page => {
    const page = new StaticText('text/html', text);
    return (request, response) => {
      response.setHeader('Content-Security-Policy', policy);
      return page.send(request, response);
    };
  };
  const json = new StaticText('application/json', toJson(document));

  serve(router, PATHS.document, (request, response) => json.send(request, response));
  serve(router, PATHS.explorer, html(explorerPage(assets)));
  for (const file of assets.all) {
    serve(router, `${PATHS.assets}/${file}`, (request, response) => assets.send(file, request, response));
  }
  return router;
}

function serve(router: Router, path: string, page: Page): void {
  router.route(path).get(page).all(refuse);
}

/** The page may run only scripts of this server, and may call only the servers in the document. */
function contentSecurityPolicy({ servers = [] }: OpenAPIObject): string {
  const origins = servers.filter(({ url }) => URL.canParse(url)).map(({ url }) => new URL(url).origin);
  return (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; " +
    `connect-src ${["'self'", ...origins].join(' ')}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
  );
}

/** Responds to methods other than GET and HEAD. */
function refuse({ method }: Request, response: Response): void {
  response.setHeader('Allow', 'GET, HEAD, OPTIONS');
  if (method === 'OPTIONS') response.status(204).end();
  else sendError(response, httpErrorOf(405));
}
