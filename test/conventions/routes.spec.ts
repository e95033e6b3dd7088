import { Controller, Get, Module } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { Response, Test } from 'supertest';
import { AnyKey, Public, requiredScopes, RequireScope } from '@animal-store/api-keys';
import { type Route, RouteTable } from '@animal-store/http-errors';
import { ErrorResponse } from '@animal-store/http-errors/swagger';
import { Operation } from '@animal-store/openapi';
import { StorageUnavailable } from '@animal-store/kernel';
import { parametersOf } from '@animal-store/kernel/http';
import { undocumentedInputs, dtoOf, isDtoType, RequestValidationPipe, versionOf } from '@animal-store/web';
import { PetNotFound } from '../../src/pets/domain/pet.errors.js';
import { unscopedRoutes } from '../../src/start/http-server-setup.js';
import { TestApp } from '../support/test-app.js';

/** The routes that need no key. A public route needs both `@Public()` and an entry here. */
const PUBLIC = ['/health/live', '/health/ready'];
/** The routes that any key may call: those with both `@AnyKey()` and an entry here. */
const ANY_KEY = ['/v1/usage', '/v1/events', '/v1/events/:eventId'];
/** The statuses that every operation must document. */
const EVERYWHERE = ['401', '429', '500'];
interface Content {
  readonly 'application/json'?: {
    readonly examples?: Record<string, unknown>;
    readonly schema?: { readonly $ref?: string };
  };
}

interface Documented {
  readonly content?: Content;
}

interface DocumentedOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly deprecated?: boolean;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: Documented;
  readonly responses: Record<string, Documented>;
}

interface Document {
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Record<string, Record<string, DocumentedOperation>>;
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> };
}

/** Checks all routes against the conventions, without knowing any route by name. */
class Inspection {
  private readonly found: string[] = [];

  private constructor(
    private readonly store: TestApp,
    private readonly document: Document,
    private readonly key: string,
  ) {}

  /** One line for every violation of a convention. */
  static async of(store: TestApp): Promise<string[]> {
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    const inspection = new Inspection(store, body as Document, await store.key());
    const { routes } = store.app.get(RouteTable);
    const inspected = routes.filter((route) => inspection.hasOneMethod(route));
    // Failures come first, because later responses may come from a cache.
    for (const route of inspected) await inspection.failures(route);
    for (const route of inspected) await inspection.inspect(route);
    inspection.operationIds();
    inspection.found.push(...undocumentedInputs(routes), ...unscopedRoutes(routes));
    return inspection.found;
  }

  private hasOneMethod(route: Route): boolean {
    if (route.method === 'ALL') this.report(route, 'takes every method, not one');
    return route.method !== 'ALL';
  }

  private async inspect(route: Route): Promise<void> {
    const responses = [await this.decision(route), await this.send(route, this.key)];
    if (versionOf(route.path) === null) return;
    for (const provoke of this.provocations(route)) responses.push(await provoke);
    for (const response of responses) {
      this.documented(route, response);
      this.deprecation(route, response);
    }
    this.description(route);
  }

  private async decision(route: Route): Promise<Response> {
    const isPublic = this.isPublic(route);
    const response = await this.send(route, null);
    if (isPublic && !PUBLIC.includes(route.path))
      this.report(route, 'is public, but not in the list of public routes');
    if (!isPublic && response.status !== 401)
      this.report(route, `responds with ${response.status} without a key`);
    return response;
  }

  /** Invalid requests that can be derived from the document alone. */
  private provocations(route: Route): Test[] {
    const query = (this.operationOf(route)?.parameters ?? []).filter((parameter) => parameter.in === 'query');
    const request = (path = pathOf(route)) => this.store.send(route.method, path, this.key);
    const requests = query.flatMap(({ name }) =>
      [`${name}=`, `${name}=~`, `${name}=1&${name}=1`].map((text) => request(`${pathOf(route)}?${text}`)),
    );
    for (const id of ['0', '7000', 'x', '9'.repeat(30)]) {
      if (route.path.includes(':')) requests.push(request(pathOf(route, id)));
    }
    if (route.method === 'GET' || route.method === 'HEAD') return requests;
    for (const type of ['application/json', 'text/plain']) {
      for (const body of ['', '{', '[]', '{}', '{"other":1}', ' '.repeat(20_000)]) {
        requests.push(request().set('Content-Type', type).send(body));
      }
    }
    return [...requests, request().set('Idempotency-Key', 'two words').send({})];
  }

  /** Checks the responses while the database fails and while it is unavailable. */
  private async failures(route: Route): Promise<void> {
    const { database } = this.store;
    // This request caches the key. Otherwise the look-up of the key would fail first.
    await this.store.send('GET', '/v1/unknown', this.key);
    for (const failure of [new Error('planted'), new StorageUnavailable(new Error('planted'))]) {
      const spies = (['query', 'run'] as const).map((method) =>
        jest.spyOn(database, method).mockRejectedValue(failure),
      );
      const response = await this.send(route, this.key);
      for (const spy of spies) spy.mockRestore();
      if (versionOf(route.path) !== null) this.documented(route, response);
    }
  }

  private documented(route: Route, { status, body }: Response): void {
    const operation = this.operationOf(route);
    // `description` reports an undocumented operation once.
    if (!operation) return;
    if (status < 400) {
      if (!(status in operation.responses))
        this.report(route, `responds with ${status}, which is not documented`);
      return;
    }
    const { code } = body as { code: string };
    const examples = operation.responses[status]?.content?.['application/json']?.examples ?? {};
    if (!(code in examples)) this.report(route, `responds with ${status} ${code}, which is not documented`);
  }

  private deprecation(route: Route, { headers }: Response): void {
    const operation = this.operationOf(route);
    if (!operation) return;
    if ('deprecation' in headers !== (operation.deprecated ?? false)) {
      this.report(route, 'is deprecated either in the document or in the headers of a response, not in both');
    }
  }

  private description(route: Route): void {
    const operation = this.operationOf(route);
    if (!operation) {
      this.report(route, 'is not documented');
      return;
    }
    const { operationId, tags = [], responses } = operation;
    const version = versionOf(route.path);
    const expected = route.handler.name + (version === '1' ? '' : `V${version}`);
    // An operation of stock Nest has the name of its controller in front: `kennelsFindAll`.
    const owner = route.controller.name.replace(/Controller$/, '');
    const plain = `${owner}${expected}`.toLowerCase();
    if (operationId !== expected && operationId.toLowerCase() !== plain) {
      this.report(route, `is documented as ${operationId}, not as its handler: ${expected}`);
    }
    const declared = this.document.tags.map(({ name }) => name);
    if (tags.length !== 1 || !declared.includes(tags[0]!)) {
      this.report(route, `has the tags [${tags.join()}], not one that the document declares`);
    }
    const promised = EVERYWHERE.filter((status) => status !== '401' || !this.isPublic(route));
    const missing = promised.filter((status) => !(status in responses));
    if (missing.length > 0) this.report(route, `documents no ${missing.join(', ')}`);
    this.scopes(route);
    this.fields(route, operation);
  }

  private scopes(route: Route): void {
    const scopes = requiredScopes(route.controller, route.handler);
    if (scopes?.length === 0 && !ANY_KEY.includes(route.path))
      this.report(route, 'is for any key, but not in ANY_KEY of routes.spec.ts');
  }

  /** Checks that every class that is sent has a field in the document, which knows those with @ApiProperty(). */
  private fields(route: Route, { responses }: DocumentedOperation): void {
    for (const [status, response] of Object.entries(responses)) {
      if (this.propertiesOf(response)?.length === 0)
        this.report(route, `documents no field of its ${status}: add @ApiProperty() to those of its class`);
    }
  }

  /** The fields of a body that is an object of a class. */
  private propertiesOf(body: Documented | undefined): string[] | undefined {
    const name = body?.content?.['application/json']?.schema?.$ref?.split('/').at(-1);
    return name === undefined
      ? undefined
      : Object.keys(this.document.components.schemas[name]!.properties ?? {});
  }

  private operationIds(): void {
    const operations = Object.entries(this.document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        // Those of a path of another version are no operation.
        .filter(([name]) => name !== 'servers')
        .map(([method, { operationId }]) => ({ name: `${method} ${path}`, operationId })),
    );
    for (const [index, { name, operationId }] of operations.entries()) {
      const namesakes = operations.slice(0, index).filter((other) => other.operationId === operationId);
      for (const other of namesakes) this.found.push(`${name}: has the operation id of ${other.name}`);
    }
  }

  private operationOf(route: Route): DocumentedOperation | undefined {
    return this.document.paths[documentedPath(route)]?.[route.method.toLowerCase()];
  }

  private isPublic({ handler, controller }: Route): boolean {
    return this.store.app.get(Reflector).getAllAndOverride(Public, [handler, controller]) ?? false;
  }

  private send(route: Route, key: string | null): Test {
    return this.store.send(route.method, pathOf(route), key);
  }

  /** Reports a problem once, even when several responses have it. */
  private report({ method, path }: Route, problem: string): void {
    const line = `${method} ${path}: ${problem}`;
    if (!this.found.includes(line)) this.found.push(line);
  }
}

function pathOf({ path }: Route, id = '1'): string {
  return path.replace(/:\w+/g, id);
}

function documentedPath({ path }: Route): string {
  return path.replace(/^\/v1/, '').replace(/:(\w+)/g, '{$1}');
}

describe('Every route', () => {
  let store: TestApp;

  beforeAll(async () => {
    store = await TestApp.start();
  });

  afterAll(() => store.stop());

  it('follows the conventions', async () => {
    expect(await Inspection.of(store)).toEqual([]);
  });

  it('calls the constraints of class-validator for every field of every DTO', () => {
    const pipe = new RequestValidationPipe();
    const handlers = store.app.get(RouteTable).routes;
    const types = handlers.flatMap(({ controller, handler }) =>
      parametersOf(controller, handler.name).map(({ type }) => type),
    );
    // Those with nested classes are read by Nest's own pipe.
    const dtos = [...new Set(types)].filter(isDtoType).filter((type) => {
      const { isFlat, fields } = dtoOf(type);
      return isFlat && fields.size > 0;
    });
    expect(dtos.length).toBeGreaterThan(5);
    for (const metatype of dtos) {
      const fields = [...dtoOf(metatype).fields.values()];
      const constraints = fields.flatMap(({ checks }) => checks.map(({ constraint }) => constraint));
      expect(constraints.length).toBeGreaterThanOrEqual(fields.length);
      const spies = constraints.map((constraint) => jest.spyOn(constraint, 'validate'));
      // No constraint accepts an empty object, and nothing leaves it out.
      const sent = Object.fromEntries(fields.map(({ name }) => [name, {}]));
      expect(() => void pipe.transform(sent, { type: 'body', metatype })).toThrow();
      for (const validate of spies) expect(validate).toHaveBeenCalled();
    }
  });

  it.each(PUBLIC)('in the list of public routes exists: %s', (path) => {
    expect(store.app.get(RouteTable).methodsFor(path)).toEqual(['GET', 'HEAD', 'OPTIONS']);
  });
});

/** One route for each line that the check reports. What it must not report, the service itself is full of. */
describe('A route that violates a convention', () => {
  const documented = Operation({ summary: 'Do', description: 'Do it.', response: { item: ErrorResponse } });

  class Bare {
    name?: string;
  }

  @ApiTags('Pets')
  @Controller({ path: 'careless', version: '1' })
  class CarelessController {
    @Public()
    @Get('open')
    @documented
    open(): string[] {
      return [];
    }

    @Get('undocumented')
    undocumented(): string[] {
      return [];
    }

    @Get('lost')
    @RequireScope('pets:read')
    @documented
    lost(): string[] {
      throw new PetNotFound(7n);
    }

    @Get('bare')
    @RequireScope('pets:read')
    @Operation({
      summary: 'Do',
      description: 'Do it.',
      response: { item: Bare },
    })
    bare(): Bare {
      return {};
    }

    @Get('any')
    @AnyKey()
    @documented
    any(): string[] {
      return [];
    }

    @Get('old')
    @documented
    @ApiOperation({ deprecated: true })
    old(): string[] {
      return [];
    }
  }

  @Module({ controllers: [CarelessController] })
  class CarelessModule {}

  it('is reported, and no other route is', async () => {
    const store = await TestApp.startWith(CarelessModule);
    const found = await Inspection.of(store);
    await store.stop();

    const unscoped = (name: string) =>
      `GET /v1/careless/${name} names no scope, so a key with scopes gets 403: add @RequireScope('careless:read') and define it, or @AnyKey().`;
    expect(found.sort()).toEqual([
      'GET /v1/careless/any: is for any key, but not in ANY_KEY of routes.spec.ts',
      'GET /v1/careless/bare: documents no field of its 200: add @ApiProperty() to those of its class',
      'GET /v1/careless/lost: responds with 404 pet_not_found, which is not documented',
      unscoped('old'),
      'GET /v1/careless/old: is deprecated either in the document or in the headers of a response, not in both',
      'GET /v1/careless/open: is public, but not in the list of public routes',
      unscoped('undocumented'),
    ]);
  });
});
