import type { OpenAPIObject } from '@nestjs/swagger';
import { type Express, type Request, type RequestHandler, type Response, Router } from 'express';
// The main module of the package would load all of Swagger UI into the server.
import getAbsoluteFSPath from 'swagger-ui-dist/absolute-path.js';
import { httpErrorOf, sendError } from '@animal-store/http-errors';
import { toJson } from '../../shared/json.js';
import { exactNumbers, foldedHeaders, indentedJson, startExplorer, wholeHeaders } from './explorer.page.js';

const SWAGGER_UI_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

// Buffers: every response sends the same memory, and nothing is encoded for one.
const PAGE = Buffer.from(`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Animal Store Service</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="/docs/favicon-32x32.png">
    <style>
      .swagger-ui .auth-container input[type='text'] { width: 100%; }
      .swagger-ui .opblock.opblock-deprecated { opacity: 1; }
      .swagger-ui .opblock.opblock-deprecated .opblock-summary-method { background: #6b7280; }
      .swagger-ui .responses-inner .response-col_links, .swagger-ui .headers__title { display: none; }
      .swagger-ui .response details { margin: 10px 0 20px; }
      .swagger-ui .response summary { cursor: pointer; font: bold 12px sans-serif; }
    </style>
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`);

const START =
  Buffer.from(`${[indentedJson, exactNumbers, foldedHeaders, wholeHeaders, startExplorer].join('\n')}
startExplorer(SwaggerUIBundle);
`);

/**
 * Serves the OpenAPI document at `/openapi.json` and Swagger UI at `/docs`, all from this server. The document is not
 * printed by @nestjs/swagger, whose `JSON.stringify` would round the bounds of int64.
 */
export function serveExplorer(server: Express, document: OpenAPIObject): void {
  const documentJson = Buffer.from(toJson(document));
  serve(server, '/openapi.json', (_, response) => send(response, 'application/json', documentJson));
  // In a router of their own, which requests to other paths pass in one step.
  server.use('/docs', explorer(document));
}

function explorer(document: OpenAPIObject): Router {
  const router = Router();
  const policy = contentSecurityPolicy(document);
  router.use((_request, response, next) => {
    response.setHeader('Content-Security-Policy', policy);
    next();
  });
  serve(router, '/', (_, response) => send(response, 'text/html', PAGE));
  serve(router, '/start.js', (_, response) => send(response, 'text/javascript', START));
  const folder = getAbsoluteFSPath();
  for (const file of SWAGGER_UI_FILES) {
    serve(router, `/${file}`, (_, response) => response.sendFile(file, { root: folder }));
  }
  return router;
}

function serve(router: Router, path: string, read: RequestHandler): void {
  router.route(path).get(read).all(refuse);
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

function send(response: Response, type: string, content: Buffer): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', content.length);
  response.setHeader('Cache-Control', 'no-cache');
  response.end(response.req.method === 'HEAD' ? undefined : content);
}
