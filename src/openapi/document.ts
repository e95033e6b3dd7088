import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Settings } from '../config/settings.js';
import { VERSION_PREFIX } from '../http/versioning.js';


const RESPONSE_HEADERS = {
  'X-Request-Id': text('Names this request in the log: the one sent, or one made for it.'),
  'X-RateLimit-Limit': number('The limit that applies: the one of the window with the fewer requests left.'),
  'X-RateLimit-Remaining': number('Requests remaining in the current window.'),
  'X-RateLimit-Reset': number('Unix timestamp, in seconds, at which the limit resets.'),
  'RateLimit-Policy': text('Every window of the plan: `q` requests in `w` seconds (IETF draft 10).'),
  RateLimit: text('Every window now: `r` requests remaining, `t` seconds until it resets (IETF draft 10).'),
  'Retry-After': number('Whole seconds after which to try again (RFC 9110, section 10.2.3).'),
  'WWW-Authenticate': text('How to authenticate (RFC 6750, section 3).'),
  Location: text('Where the new resource can be fetched.'),
  'Idempotent-Replayed': text('`true` when this is the first answer to the same `Idempotency-Key`, given again.'),
  ETag: text('A strong tag of this answer, for `If-None-Match`.'),
  Link: text('`rel="next"` names the next page; absent on the last one (RFC 8288).'),
};

/** The OpenAPI document of everything under `/v1`, with paths relative to the servers it names. */
export function describeApi(app: INestApplication, { api }: Settings): OpenAPIObject {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.1')
    .setTitle('Animal Store Service')
    .setDescription(
      'Keeps a catalogue of the animals offered in a store. Every operation takes an API key as a bearer token; ' +
        'every answer tells how much of the plan is left.',
    )
    .setVersion('1.0.0')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addTag('Pets', 'The animals of the store.')
    .addTag('Store', 'Orders for animals.')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key.' }, 'apiKey')
    .addSecurityRequirements('apiKey');
  if (api.publicUrl) builder.addServer(api.publicUrl, 'Production');
  if (api.stagingUrl) builder.addServer(api.stagingUrl, 'Staging');
  // Relative to the document: what is explored is what serves it.
  if (!api.publicUrl && !api.stagingUrl) builder.addServer(VERSION_PREFIX, 'This server');

  const document = SwaggerModule.createDocument(app, builder.build(), {
    operationIdFactory: (_controller, method) => method,
  });
  document.paths = Object.fromEntries(
    Object.entries(document.paths).map(([path, item]) => [path.replace(VERSION_PREFIX, ''), item]),
  );
  document.components = { ...document.components, headers: RESPONSE_HEADERS };
  return document;
}

function text(description: string) {
  return { description, schema: { type: 'string' } };
}

function number(description: string) {
  return { description, schema: { type: 'integer' } };
}
