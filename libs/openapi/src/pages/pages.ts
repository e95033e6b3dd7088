import { type INestApplication, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { OpenAPIObject } from '@nestjs/swagger';
import { type Express, type NextFunction, type Request, type Response, Router } from 'express';
import {
  httpErrorFrom,
  httpErrorOf,
  RouteNotFound,
  RouteTable,
  setErrorHeaders,
} from '@animal-store/http-errors';
import { Clock, toJson } from '@animal-store/kernel';
import { ERRORS_PAGE, refuse } from '@animal-store/web';
import { Readiness } from '@animal-store/operations';
import { errorsOfOperations } from '../operation-description.js';
import { errorsPage, type RequestLimits } from './content/errors.page.js';
import { Assets } from './assets.js';
import { changelogPage } from './content/changelog.page.js';
import { browserKey, isFromThisMachine, type IssueKey } from './browser-key.js';
import { clientPage } from './content/client.page.js';
import { deprecationsPage } from './content/deprecations.page.js';
import { type ExplorerOptions, explorerPage, type PlanLimits } from './content/explorer/explorer.page.js';
import { searchIndex } from './content/explorer/search-index.js';
import { frontPage, unknownPage } from './content/front.page.js';
import { originOf, type PageFrame, PATHS, pageHtml, withOrigin } from './page-layout.js';
import { securityTxt } from './security-txt.js';
import { sendStatic, sendText, staticContent } from './static-content.js';
import { toYaml } from './content/yaml.js';

/** Sends a page, or calls `next` to leave the request to the routes of Nest. */
type Page = (request: Request, response: Response, next: NextFunction) => unknown;

/** What the pages say of a service. A class, as it is also the injection token. */
export abstract class PagesOptions implements ExplorerOptions {
  /** What the service is, in a sentence or two. */
  abstract readonly about: string;
  abstract readonly plans: PlanLimits;
  abstract readonly client: string;
  abstract readonly usagePath: string;
  abstract readonly limits: RequestLimits;
  /** Where to report a vulnerability; null serves no `/.well-known/security.txt`. */
  abstract readonly securityContact: string | null;
  /** Where callers reach the API; null when the service does not know. */
  abstract readonly ownUrl: string | null;
  /** What a proxy removes from the paths that it forwards: `/store`, or nothing. */
  abstract readonly publicPath: string;
  /** Adapts a guide to this server. */
  abstract readonly guide: (markdown: string) => string;
  /** The guide that explains an error: a link in Markdown. */
  abstract readonly guideOfError: (code: string) => string | null;
  /** Null unless the server is a developer's own. */
  abstract readonly issueKey: IssueKey | null;
}

/**
 * Serves what people read in a browser, all from this server. The OpenAPI document is not printed by @nestjs/swagger,
 * whose `JSON.stringify` would round the bounds of int64.
 */
@Injectable()
export class Pages implements OnModuleInit {
  private unknown: { readonly policy: string; readonly html: string } | null = null;

  constructor(
    readonly options: PagesOptions,
    readonly table: RouteTable,
    readonly readiness: Readiness,
    readonly clock: Clock,
    private readonly adapterHost: HttpAdapterHost,
  ) {}

  /** Call it before the application has its routes. */
  serve(app: INestApplication, document: OpenAPIObject): void {
    const { publicPath } = this.options;
    const frame = { serviceName: document.info.title, assets: Assets.open(), publicPath };
    const policy = contentSecurityPolicy(document);
    this.unknown = { policy, html: unknownPage(frame) };
    const server = app.getHttpAdapter().getInstance() as Express;
    // Requests to the API skip this router: a middleware for every path costs each of them several objects.
    server.all(/^(?!\/v\d)/, routerOf(this, document, frame, policy));
  }

  /** Nest has its routes now, so what arrives here is a path that does not exist. */
  onModuleInit(): void {
    const { httpAdapter } = this.adapterHost as Partial<HttpAdapterHost>;
    httpAdapter?.use((request: Request, response: Response) => this.refuseUnknown(request, response));
  }

  /** Says where to look. */
  private refuseUnknown(request: Request, response: Response): unknown {
    const unknown = httpErrorFrom(new RouteNotFound());
    response.vary('Accept');
    if (request.accepts(['json', 'html']) !== 'html') {
      const place = this.options.publicPath + PATHS.explorer;
      return refuse(response, { ...unknown, message: `${unknown.message} See ${place}.` });
    }
    const { policy, html } = this.unknown!;
    setErrorHeaders(response, unknown, ERRORS_PAGE);
    response.setHeader('Content-Security-Policy', policy);
    return response.status(404).type('html').send(html);
  }
}

function routerOf(pages: Pages, document: OpenAPIObject, frame: PageFrame, policy: string): Router {
  const { options, table, readiness, clock } = pages;
  const { about, issueKey, securityContact, ownUrl, publicPath } = options;
  const publicOrigin = ownUrl === null ? null : new URL(ownUrl).origin;
  const { assets } = frame;
  const router = Router();
  /** A page whose examples have the public address, or else that of the request. */
  const html = (page: () => Promise<string>): Page => {
    const send =
      publicOrigin === null
        ? sendText('text/html', page, (made, { protocol, headers }) =>
            withOrigin(made, originOf(protocol, headers.host)),
          )
        : sendText('text/html', async () => withOrigin(await page(), publicOrigin + publicPath));
    return (request, response) => {
      response.setHeader('Content-Security-Policy', policy);
      return send(request, response);
    };
  };
  const texts: { path: string; title: string; markdown: () => string }[] = [];
  const text = (path: string, title: string, markdown: () => string): void => {
    texts.push({ path, title, markdown });
    const page = async () => {
      const { renderPage } = await markdownRenderer();
      return pageHtml(frame, { title, path, body: main(renderPage(markdown(), publicPath)) });
    };
    serve(router, path, html(page));
  };

  router.get(PATHS.front, async (request, response, next) => {
    // A program gets the address of the documentation, as at every path that does not exist.
    if (request.accepts(['json', 'html']) !== 'html') return next();
    const page = frontPage(frame, about, await readiness.check());
    response.setHeader('Content-Security-Policy', policy);
    response.setHeader('Cache-Control', 'no-store');
    response.vary('Accept').type('html').send(page);
  });
  const json = sendText('application/json', () => toJson(document));
  for (const path of [PATHS.document, `${PATHS.explorer}-json`]) serve(router, path, json);
  serve(
    router,
    `${PATHS.explorer}-yaml`,
    sendText('application/yaml', () => toYaml(document).trimStart()),
  );
  const explorer = (offersKey: boolean): Page =>
    html(async () => {
      const { renderPage } = await markdownRenderer();
      return explorerPage(
        frame,
        document,
        options,
        (markdown) => renderPage(markdown, publicPath),
        offersKey,
      );
    });
  const [plain, withKey] = [explorer(false), explorer(true)];
  serve(router, PATHS.explorer, (request, ...rest) => {
    const offersKey = issueKey !== null && isFromThisMachine(request);
    return (offersKey ? withKey : plain)(request, ...rest);
  });
  if (issueKey) router.post(PATHS.key, browserKey(issueKey));
  const { guides } = assets;
  for (const [name, guide] of guides) {
    const path = name === 'README' ? PATHS.guides : `${PATHS.guides}/${name}`;
    const title = /^# (.*)/.exec(guide)![1]!;
    text(path, title, () => options.guide(guide));
  }
  text(PATHS.errors, 'Errors', () => errorsPage(errorsOfOperations(), options));
  text(PATHS.deprecations, 'Deprecations', () =>
    deprecationsPage(
      table.routes,
      document,
      guides.map(([, guide]) => guide),
    ),
  );
  const client = assets.clientPackage();
  const packagePath = `${PATHS.client}/${client.name}`;
  const versions = {
    interface: document.info.version,
    client: /\d[\d.]*(?=\.tgz)/.exec(client.name)![0],
  };
  text(PATHS.changelog, 'Changelog', () => changelogPage(assets.text('changelog.md'), versions));
  text(PATHS.client, 'TypeScript client', () => clientPage(assets.text('client.md'), packagePath));
  serve(
    router,
    PATHS.search,
    sendText('application/json', async () => {
      const { renderPage, sectionsOf } = await markdownRenderer();
      const pages = texts.map(({ markdown, ...page }) => ({
        ...page,
        ...sectionsOf(renderPage(withOrigin(markdown(), publicPath), publicPath)),
      }));
      return JSON.stringify(searchIndex(document, pages, publicPath));
    }),
  );
  const packed = staticContent('application/gzip', client.bytes);
  serve(router, packagePath, (request, response) => sendStatic(request, response, packed));
  if (securityContact !== null) {
    serve(router, PATHS.security, (_, response) => {
      response.type('text/plain').send(securityTxt(securityContact, publicOrigin, clock.now()));
    });
  }
  for (const file of assets.all) {
    serve(router, `${PATHS.assets}/${file}`, (request, response) => assets.send(file, request, response));
  }
  return router;
}

/** Loads what reads Markdown with the first such page, as it would delay each start. */
function markdownRenderer() {
  return import('./markdown.js');
}

function main(content: string): string {
  return `    <main class="text" id="content" tabindex="-1">\n${content}\n    </main>`;
}

function serve(router: Router, path: string, page: Page): void {
  router.route(path).get(page).all(refuseMethod);
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
function refuseMethod({ method }: Request, response: Response): void {
  response.setHeader('Allow', 'GET, HEAD, OPTIONS');
  if (method === 'OPTIONS') response.status(204).end();
  else refuse(response, httpErrorOf(405));
}
