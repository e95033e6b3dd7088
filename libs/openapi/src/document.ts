import { type INestApplication, Logger, type Type } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Scope } from '@animal-store/api-keys';
import { RouteTable } from '@animal-store/http-errors';
import { DAY_MS } from '@animal-store/kernel';
import { parametersOf } from '@animal-store/kernel/http';
import { dtoOf, isDtoType, versionOf } from '@animal-store/web';
import { addBodyExamples } from './schemas/body-examples.js';
import { addBounds, type Schemas } from './schemas/bounds.js';
import { IN_A_YEAR } from './schemas/fields.js';
import {
  completeOperation,
  describeReturnTypes,
  type Operation,
  parametersIn,
} from './operation-description.js';
import { TagMetadata } from './operation.decorator.js';
import { DEPRECATION_HEADERS, RESPONSE_HEADERS } from './response-headers.js';
import { jsonSchemaOf } from './schemas/standard-schema.js';
import { describeFields } from './schemas/validated-fields.js';
import { webhookItems } from './webhooks.decorator.js';

type PathItem = OpenAPIObject['paths'][string];
type Servers = NonNullable<OpenAPIObject['servers']>;

/** What the document says of the API as a whole. */
export interface ApiDescription {
  readonly title: string;
  /** In Markdown. */
  readonly description: string;
  readonly version: string;
  /** The versions in its paths: ['1', '2'] for `/v1` and `/v2`. The URLs end in the first one. */
  readonly versions: readonly [string, ...string[]];
  /** Each ends in the version of the API; null when there is none. */
  readonly publicUrl: string | null;
  readonly stagingUrl: string | null;
  /** The largest body, which the error for a larger one names. */
  readonly bodyLimitBytes: number;
  /** Where callers get keys and help: a URL; null when there is none. */
  readonly supportUrl: string | null;
  /** The guide that explains an operation: a link in Markdown. */
  readonly guideOf: (operation: Operation) => string;
  /** Values of this service for response headers, by their name. */
  readonly headerExamples?: Readonly<Record<string, string>>;
  /** When the document is made, in milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** The scopes of keys. The description of an operation says of an explicit one that a key must name it. */
  readonly scopes?: readonly Scope[];
}

const API_KEY = {
  scheme: 'bearer',
  bearerFormat: 'API key',
  type: 'http',
  description: 'Your API key, without `Bearer`.',
} as const;

/**
 * The OpenAPI document of everything under `/v1`. Its paths are relative to the URLs of its servers. Path, id and tag
 * of an operation name another version: `/v2/ships`, `listShipsV2`, `Ships v2`.
 */
export function describeApi(app: INestApplication, api: ApiDescription): OpenAPIObject {
  const { title, description, version, publicUrl, stagingUrl, supportUrl } = api;
  const [main] = api.versions;
  const servers = [
    ...(publicUrl ? [{ url: publicUrl, description: 'Production' }] : []),
    ...(stagingUrl ? [{ url: stagingUrl, description: 'Staging' }] : []),
  ];
  // Relative to the document, so that Swagger UI calls the server that it comes from.
  if (servers.length === 0) servers.push({ url: `/v${main}`, description: 'This server' });
  const license = { name: 'MIT', url: 'https://opensource.org/license/mit' };
  const contact = supportUrl === null ? {} : { contact: { url: supportUrl } };
  const head = {
    openapi: '3.1.1',
    info: { title, description, version, ...contact, license },
    servers,
  };
  const security = [{ apiKey: [] }];
  const securitySchemes = { apiKey: API_KEY };
  const { routes } = app.get(RouteTable);
  describeReturnTypes(routes);
  describeFields(routes);
  const { paths, components } = SwaggerModule.createDocument(
    app,
    { ...head, security, components: { securitySchemes } },
    { operationIdFactory: (_controller, method) => method, standardSchemaConverter: jsonSchemaOf },
  );
  const schemas = components!.schemas!;
  dateExamples(schemas, api.nowMs);
  completeOperations(app, paths, api);
  distinguishVersions(paths, main);
  const operations = Object.values(paths).flatMap(operationsOf);
  for (const operation of operations) {
    if (operation.deprecated) announceRemoval(operation);
    mergeHeaders(operation);
    refuseUndescribedBody(operation);
    refuseUnknownFields(operation, schemas);
    addBodyExamples(operation, schemas);
    operation.description = `${operation.description} ${api.guideOf(operation)}`.trimStart();
  }
  const logger = new Logger('OpenAPI');
  for (const bound of addBounds(schemas, operations, api.bodyLimitBytes)) logger.warn(bound);
  return {
    ...head,
    tags: tagsOf(app, operations, main),
    security,
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, item]) => relative(path, item, servers, `/v${main}`)),
    ),
    ...webhooksOf(app, schemas),
    components: { ...components, headers: headersWith(api.headerExamples ?? {}, operations) },
  };
}

/** What is sent with the examples of the document must be valid, whenever that is. */
function dateExamples(schemas: Schemas, nowMs: number): void {
  const inAYear = `${new Date(nowMs + 365 * DAY_MS).toISOString().slice(0, 10)}T12:00:00Z`;
  for (const [name, schema] of Object.entries(schemas)) {
    if (!('properties' in schema) || !schema.properties) continue;
    const properties = Object.entries(schema.properties).map(([field, one]) =>
      'example' in one && one.example === IN_A_YEAR ? [field, { ...one, example: inAYear }] : [field, one],
    );
    schemas[name] = { ...schema, properties: Object.fromEntries(properties) as typeof schema.properties };
  }
}

function headersWith(examples: Readonly<Record<string, string>>, operations: readonly Operation[]): Headers {
  const responses = operations.flatMap(({ responses: all }) => Object.values(all));
  const used = new Set(
    responses.flatMap((one) => (one && 'headers' in one ? Object.keys(one.headers!) : [])),
  );
  const known = Object.entries(RESPONSE_HEADERS).filter(([name]) => used.has(name));
  const headers = known.map(([name, header]) => {
    const example = examples[name] ?? header.example;
    return [name, { ...header, example }] as const;
  });
  return Object.fromEntries(headers) as unknown as Headers;
}

/** The path below the version in which the URLs of the servers end. Any other names its servers itself. */
function relative(path: string, item: PathItem, servers: Servers, prefix: string): [string, PathItem] {
  if (path.startsWith(`${prefix}/`)) return [path.slice(prefix.length), item];
  const outside = servers.map((server) => ({
    ...server,
    url: server.url.slice(0, -prefix.length) || '/',
  }));
  return [path, { ...item, servers: outside }];
}

/**
 * Tags in the order in which the application imports the modules of the controllers. A controller without `@Tag` has
 * the tag that @nestjs/swagger gives it.
 */
function tagsOf(app: INestApplication, operations: readonly Operation[], main: string) {
  const described = app.get(RouteTable).routes.flatMap(({ controller, path }) => {
    const tag = app.get(Reflector).get(TagMetadata, controller);
    return tag ? [[tag.name + otherVersion(path, main, ' v'), tag.description] as const] : [];
  });
  const descriptions = new Map(described);
  const used = operations.flatMap(({ tags = [] }) => tags);
  return [...new Set([...descriptions.keys(), ...used])].map((name) => ({
    name,
    description: descriptions.get(name) ?? `${name}.`,
  }));
}

/** Two versions of a resource would have one id and one tag. */
function distinguishVersions(paths: OpenAPIObject['paths'], main: string): void {
  for (const [path, item] of Object.entries(paths)) {
    for (const operation of operationsOf(item)) {
      operation.operationId! += otherVersion(path, main, 'V');
      operation.tags = operation.tags?.map((tag) => tag + otherVersion(path, main, ' v'));
    }
  }
}

/** The version of a path after its sign; nothing for the main one. */
function otherVersion(path: string, main: string, sign: string): string {
  const version = versionOf(path);
  return version === null || version === main ? '' : sign + version;
}

function controllersOf(app: INestApplication): Type[] {
  return [...new Set(app.get(RouteTable).routes.map(({ controller }) => controller))];
}

/** What the service sends, as its controllers describe it. */
function webhooksOf(app: INestApplication, schemas: Schemas): Pick<OpenAPIObject, 'webhooks'> {
  const reflector = app.get(Reflector);
  const items = controllersOf(app).map((controller) =>
    webhookItems(reflector, controller, reflector.get(TagMetadata, controller)?.name),
  );
  const webhooks = Object.assign({}, ...items) as NonNullable<OpenAPIObject['webhooks']>;
  for (const item of Object.values(webhooks)) addBodyExamples(item.post!, schemas);
  return Object.keys(webhooks).length > 0 ? { webhooks } : {};
}

function completeOperations(
  app: INestApplication,
  paths: OpenAPIObject['paths'],
  { bodyLimitBytes, scopes }: ApiDescription,
): void {
  for (const route of app.get(RouteTable).routes) {
    const item = paths[route.path.replace(/:(\w+)/g, '{$1}')];
    const operation = item?.[route.method.toLowerCase() as 'get'];
    if (!operation) continue;
    completeOperation(operation, route, bodyLimitBytes, scopes);
    const query = parametersOf(route.controller, route.name).find(({ kind }) => kind === 'QUERY');
    if (query) describeLists(operation, query.type);
  }
}

/** A list in a query is a repeated parameter. @nestjs/swagger forgets the bounds of one whose values have a name. */
function describeLists(operation: Operation, query: unknown): void {
  const fields = isDtoType(query) ? dtoOf(query).fields : null;
  for (const parameter of parametersIn(operation)) {
    const schema = parameter.schema as { type?: unknown; maxItems?: unknown } | undefined;
    if (parameter.in !== 'query' || schema?.type !== 'array') continue;
    schema.maxItems ??= fields?.get(parameter.name)?.maxItems;
    Object.assign(parameter, { style: 'form', explode: true });
  }
}

type Headers = NonNullable<OpenAPIObject['components']>['headers'];

function operationsOf({ get, put, post, patch, delete: remove }: PathItem): Operation[] {
  return [get, put, post, patch, remove].filter((operation) => operation !== undefined);
}

/** A header of `@Headers('x-tide')` that `@ApiHeader()` describes is one parameter: the described one. */
function mergeHeaders(operation: Operation): void {
  const described = new Set(
    parametersIn(operation).flatMap(({ in: where, name, description }) =>
      where === 'header' && description ? name.toLowerCase() : [],
    ),
  );
  operation.parameters &&= parametersIn(operation).filter(
    ({ in: where, name, description }) =>
      where !== 'header' || description || !described.has(name.toLowerCase()),
  );
}

/** Adds the headers that `@Deprecated` sets, and the date of removal to the texts that people read. */
function announceRemoval(operation: Operation): void {
  const { 'x-sunset': sunset } = operation as { 'x-sunset'?: string };
  if (sunset) {
    operation.summary += ` (until ${sunset})`;
    operation.description = `**Will be removed on ${sunset}.** From then on the response is 410. ${operation.description}`;
  }
  for (const response of Object.values(operation.responses)) {
    if (!response || !('headers' in response)) continue;
    for (const name of DEPRECATION_HEADERS) {
      response.headers![name] = { $ref: `#/components/headers/${name}` };
    }
  }
}

/** @nestjs/swagger makes JSON of anything of the `content` of @ApiBody(), and the service reads nothing else either. */
function refuseUndescribedBody({ operationId, requestBody }: Operation): void {
  if (!requestBody || !('content' in requestBody)) return;
  if (Object.values(requestBody.content).every(({ schema }) => schema !== undefined)) return;
  throw new TypeError(
    `The body of ${operationId} has no schema: @ApiBody({ content }) is lost. Accept bytes with @BytesBody(), and JSON with a class.`,
  );
}

/** Marks request bodies as closed: a field that the class does not declare is refused, at every depth. */
function refuseUnknownFields({ requestBody }: Operation, schemas: Schemas): void {
  if (!requestBody || !('content' in requestBody)) return;
  const close = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return;
    const name = (schema as { $ref?: string }).$ref?.replace('#/components/schemas/', '');
    if (name !== undefined) {
      const named = schemas[name]!;
      if ('additionalProperties' in named || !('properties' in named)) return;
      Object.assign(named, { additionalProperties: false });
      close(named.properties);
    } else {
      Object.values(schema).forEach(close);
    }
  };
  for (const { schema } of Object.values(requestBody.content)) close(schema);
}
