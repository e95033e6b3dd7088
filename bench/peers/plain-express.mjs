/** The service itself on Nest's ExpressAdapter as it comes: Express' own prototypes and its own way of sending. */
import { ExpressAdapter } from '@nestjs/platform-express';
import { JsonExpressAdapter } from '../../libs/web/dist/index.js';
import { representationOf } from '../../libs/web/dist/responses/json-response.js';

Object.assign(JsonExpressAdapter.prototype, {
  initHttpServer(options) {
    ExpressAdapter.prototype.initHttpServer.call(this, options);
    // In the place of Nest's middleware for hooks, which JsonExpressAdapter leaves out while there are none.
    this.getInstance().use((_request, _response, next) => next());
  },
  reply(response, body, status) {
    const reply = representationOf(body);
    if (status) response.status(status);
    if (response.req.method === 'GET')
      response.set({ ETag: reply.entityTag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
    else if (response.statusCode < 300) response.set('ETag', reply.entityTag);
    return response.type('application/json').send(reply.json);
  },
});
await import('../../dist/src/main.js');
