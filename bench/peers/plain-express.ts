/** The service itself on Nest's ExpressAdapter as it comes: Express' own prototypes and its own way of sending. */
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import { JsonExpressAdapter } from '../../src/platform/http/express-adapter.js';
import { toJson } from '../../src/shared/json.js';
import { Reply } from '../../src/platform/http/json-reply.js';

Object.assign(JsonExpressAdapter.prototype, {
  initHttpServer(this: ExpressAdapter, options: Parameters<ExpressAdapter['initHttpServer']>[0]): void {
    ExpressAdapter.prototype.initHttpServer.call(this, options);
    // In the place of Nest's middleware for hooks, which JsonExpressAdapter leaves out while there are none.
    this.getInstance<Express>().use((_request, _response, next) => next());
  },
  reply(response: Response, body: unknown, status?: number): Response {
    const reply = body instanceof Reply ? body : new Reply(toJson(body));
    if (status) response.status(status);
    response.set(reply.headers);
    if (response.req.method === 'GET') {
      response.set({ ETag: reply.entityTag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
    }
    return response.type('application/json').send(reply.json);
  },
});
await import('../../src/main.js');
