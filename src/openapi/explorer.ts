import type { OpenAPIObject } from '@nestjs/swagger';
import express, { type Express, type Response } from 'express';
import { getAbsoluteFSPath } from 'swagger-ui-dist';
import { toJson } from '../http/json.js';

const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Animal Store Service</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
    <link rel="icon" href="/docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`;

const START = `window.ui = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/**
 * Serves the OpenAPI document at `/openapi.json` and Swagger UI at `/docs`, both from this server alone. The document
 * is printed here rather than by @nestjs/swagger, whose `JSON.stringify` would round the int64 bounds.
 */
export function serveExplorer(server: Express, document: OpenAPIObject): void {
  const documentText = toJson(document);
  server.get('/openapi.json', (_, response) => send(response, 'application/json', documentText));
  server.use('/docs', (_request, response, next) => {
    response.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    next();
  });
  server.get('/docs', (_, response) => send(response, 'text/html', PAGE));
  server.get('/docs/start.js', (_, response) => send(response, 'text/javascript', START));
  server.use('/docs', express.static(getAbsoluteFSPath(), { index: false, redirect: false }));
}

function send(response: Response, type: string, text: string): void {
  response.setHeader('Content-Type', `${type}; charset=utf-8`);
  response.setHeader('Content-Length', Buffer.byteLength(text));
  response.setHeader('Cache-Control', 'no-cache');
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
