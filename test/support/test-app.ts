import { mkdtempSync, rmSync } from 'node:fs';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test as Nest, type TestingModuleBuilder } from '@nestjs/testing';
import request, { type Test } from 'supertest';
import { RouteTable } from '@animal-store/http-errors';
import { describeApi } from '@animal-store/openapi';
import { type Database, openDatabase } from '@animal-store/database';
import { openNewSqlite, StatementCatalogue } from '@animal-store/database/testing';
import { JsonLogger } from '@animal-store/operations';
import { FakeClock } from '@animal-store/kernel/testing';
import { RateLimitStore } from '@animal-store/rate-limiting';
import { JsonExpressAdapter } from '@animal-store/web';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { AppModule } from '../../src/app.module.js';
import { loadSettings } from '../../src/settings/settings.js';
import { configureApp } from '../../src/create-app.js';
import { scopes as defined, tables } from '../../src/contexts.js';
import { requireDocumentedError } from './documented-operations.js';
import { EventListener } from './event-listener.js';

/** Reads a stream as far as its first bytes, which may be a heartbeat and are then the body. */
function readFirst(given: object, done: (error: Error | null, body: string) => void): void {
  const response = given as IncomingMessage;
  let first = '';
  response.once('data', (bytes: Buffer) => {
    first = bytes.toString();
    response.destroy();
  });
  response.once('close', () => done(null, first));
}

/**
 * The OpenAPI document of each application, which all tests of a suite share, by all that it is made from: the routes,
 * and what the settings say of the API.
 */
const documents = new Map<string, OpenAPIObject>();

/** What a key names that may call every operation of the contexts. */
const EVERYTHING = defined.some(({ explicit }) => explicit) ? defined.map(({ name }) => name) : null;

/** The whole application with its own database and a clock that does not run, listening on a free port. */
export class TestApp {
  private constructor(
    readonly app: NestExpressApplication,
    readonly database: Database,
    /** Every statement that the database runs. */
    readonly statements: StatementCatalogue,
    readonly clock: FakeClock,
    /** Every line logged so far. */
    readonly logLines: string[],
    private readonly folder: string,
    /** What a key names that may do everything; routes beside those of the contexts may need a key that names none. */
    private readonly everything: readonly string[] | null,
  ) {}

  /** @param environment settings by variable */
  static start(environment: NodeJS.ProcessEnv = {}): Promise<TestApp> {
    return TestApp.startWith([], environment);
  }

  /** The application with more modules, as if a team had added them. */
  static async startWith(
    modules: Type | readonly Type[],
    environment: NodeJS.ProcessEnv = {},
    override = (nest: TestingModuleBuilder) => nest,
  ): Promise<TestApp> {
    const folder = mkdtempSync(join(tmpdir(), 'animal-store-'));
    const settings = loadSettings({
      NODE_ENV: 'test',
      DATABASE_URL: `sqlite:${join(folder, 'test.db')}`,
      // PostgreSQL may have to wait for a core.
      DATABASE_CONNECT_TIMEOUT_MS: '60000',
      DATABASE_STATEMENT_TIMEOUT_MS: '60000',
      ...environment,
    });
    const clock = new FakeClock();
    const logLines: string[] = [];
    const logger = new JsonLogger(settings.log.level, { write: (line) => logLines.push(line) }, () =>
      clock.now(),
    );
    const { database: where } = settings;
    const isNew = where.kind === 'sqlite' && environment['DATABASE_URL'] === undefined;
    const statements = new StatementCatalogue();
    const opening = { onStatement: statements.add };
    const database = await (isNew
      ? openNewSqlite(where, tables, opening)
      : openDatabase(where, tables, opening));
    const parts = { settings, clock, database, logger };
    const { imports = [], ...application } = AppModule.forRoot(parts);
    const withMore = { ...application, imports: [...[modules].flat(), ...imports] };
    const nest = Nest.createTestingModule({ imports: [withMore] });
    const app = (
      await override(nest.setLogger(logger)).compile()
    ).createNestApplication<NestExpressApplication>(new JsonExpressAdapter(), { bodyParser: false, logger });
    configureApp(app, settings, (described, api) => {
      const { routes } = described.get(RouteTable);
      const name = JSON.stringify([
        api,
        routes.map(({ method, path, controller }) => [method, path, controller.name]),
      ]);
      let document = documents.get(name);
      if (!document) documents.set(name, (document = describeApi(described, api)));
      return document;
    });
    await app.listen(0, '127.0.0.1');
    const everything = [modules].flat().length === 0 ? EVERYTHING : null;
    return new TestApp(app, database, statements, clock, logLines, folder, everything);
  }

  /** The file of the database, unless `environment` has another DATABASE_URL. */
  get databaseFile(): string {
    return join(this.folder, 'test.db');
  }

  get port(): number {
    return (this.app.getHttpServer().address() as AddressInfo).port;
  }

  /** The text of a new key, which may do everything unless scopes are named. */
  async key(
    plan: 'free' | 'pro' | 'business' = 'business',
    account?: string,
    scopes: readonly string[] | null = this.everything,
  ): Promise<string> {
    const { text } = await this.app.get(StoreKeyIssuer).issue({ name: 'test', plan, account, scopes });
    return text;
  }

  /** The text of a new key with these limits. */
  async limitedKey(perMinute: number, perDay: number): Promise<string> {
    const wanted = { name: 'test', plan: 'enterprise', perMinute, perDay, scopes: this.everything } as const;
    const { text } = await this.app.get(StoreKeyIssuer).issue(wanted);
    return text;
  }

  /** Begins every count anew, for tests whose keys share an account. */
  forgetCounts(): void {
    const { counters } = this.app.get<{
      readonly counters: Map<string, object> & { drop(counter: object): void };
    }>(RateLimitStore);
    for (const counter of [...counters.values()]) counters.drop(counter);
  }

  /** Sends a request to the running server, with `key` unless it is null. An undocumented error fails. */
  send(method: string, path: string, key: string | null): Test {
    const server = this.app.getHttpServer() as Parameters<typeof request>[0];
    const sent = request(server)
      [method.toLowerCase() as 'get'](path)
      .expect(({ status, body }) => requireDocumentedError(method, path, status, body));
    sent.on('request', ({ req }: { req: ClientRequest }) => {
      // A test that waits for the end of a stream would wait for ever.
      req.prependOnceListener('response', ({ headers }) => {
        if (headers['content-type'] === 'text/event-stream') sent.buffer(true).parse(readFirst);
      });
    });
    return key === null ? sent : sent.set('Authorization', `Bearer ${key}`);
  }

  /** Listens to a stream with `key`, until `leave()`: `(await stream.next())?.data`. */
  listen(path: string, key: string, headers: Readonly<Record<string, string>> = {}): Promise<EventListener> {
    return EventListener.open(`http://127.0.0.1:${this.port}${path}`, {
      Authorization: `Bearer ${key}`,
      ...headers,
    });
  }

  /**
   * The data of the events of this type so far that the account of `key` may read. Without a webhook for them, none is
   * stored unless the application has `EVENTS: 'always'`. The clock advances by the ten seconds that they are late.
   */
  async announced(type: string, key: string): Promise<object[]> {
    this.clock.advance(10_000);
    const { body } = await this.send('GET', `/v1/events?type=${type}&limit=100`, key).expect(200);
    return (body as { body: string }[]).map((event) => (JSON.parse(event.body) as { data: object }).data);
  }

  async stop(): Promise<void> {
    await this.app.close();
    rmSync(this.folder, { recursive: true });
  }
}
