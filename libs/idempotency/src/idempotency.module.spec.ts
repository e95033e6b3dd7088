import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  Body,
  Controller,
  HttpCode,
  type INestApplication,
  NotFoundException,
  Post,
  Res,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import {
  Column,
  DataSource,
  type DataSourceOptions,
  Entity,
  EntityManager,
  PrimaryGeneratedColumn,
} from 'typeorm';
import request from 'supertest';
import { IdempotencyModule, Idempotent, InTransaction } from './index.js';
import { idempotencyTables, TypeOrmIdempotencyStore } from './typeorm/index.js';

const schema = `idempotency_${randomBytes(8).toString('hex')}`;
const POSTGRES_URL = process.env.TEST_POSTGRES_URL;
const DAY_MS = 86_400_000;

const databases: [string, DataSourceOptions][] = [
  ['SQLite', { type: 'better-sqlite3', database: ':memory:' }],
];
if (POSTGRES_URL) {
  const options = { type: 'postgres', schema, extra: { options: `-c search_path=${schema}` } } as const;
  databases.push(['PostgreSQL', { ...options, url: POSTGRES_URL }]);
}

const STORE = { claim() {} } as never;

describe('IdempotencyModule', () => {
  it.each([
    ['store', 'an IdempotencyStore', { callerOf: () => null }],
    ['callerOf', 'a function', { store: STORE }],
  ])('does not start without the option `%s`', async (option, kind, options) => {
    const starting = Test.createTestingModule({ imports: [IdempotencyModule.forRoot(options as never)] });
    const message = `IdempotencyModule needs the option \`${option}\`, ${kind}.`;
    await expect(starting.compile()).rejects.toThrow(new TypeError(message));
  });
});

@Entity({ name: 'berths' })
class Berth {
  @PrimaryGeneratedColumn()
  id: number;

  @Column({ type: 'text' })
  ship: string;
}

@Controller('berths')
class BerthsController {
  static readonly beforeResponse: (() => Promise<void>)[] = [];

  @Post()
  @HttpCode(202)
  @Idempotent()
  async take(
    @Body() { ship }: { ship: string },
    @InTransaction() manager: EntityManager,
    @Res({ passthrough: true }) response: { setHeader(name: string, value: string): void },
  ): Promise<object> {
    const { id } = await manager.save(Berth, { ship });
    await BerthsController.beforeResponse.shift()?.();
    if (ship === 'Titanic') throw new NotFoundException('It has sunk.');
    response.setHeader('Location', `/berths/${id}`);
    return { id, ship };
  }

  @Post('lost')
  lost(@InTransaction() manager: EntityManager): string {
    return typeof manager;
  }
}

/** The PostgreSQL of the run may still be starting. */
async function opened(options: DataSourceOptions): Promise<DataSource> {
  for (;;) {
    try {
      return await new DataSource(options).initialize();
    } catch (error) {
      if (!['ECONNREFUSED', '57P03'].includes((error as { code: string }).code)) throw error;
      await delay(100);
    }
  }
}

describe.each(databases)('@Idempotent() with TypeORM on %s', (_, options) => {
  let dataSource: DataSource;
  let replicas: INestApplication[];
  let nowMs: number;

  beforeAll(async () => {
    if (options.type === 'postgres') {
      const admin = await opened({ type: 'postgres', url: POSTGRES_URL });
      await admin.query(`CREATE SCHEMA ${schema}`).finally(() => admin.destroy());
    }
    const tables = { ...idempotencyTables, entities: [...idempotencyTables.entities, Berth] };
    dataSource = await opened({ ...options, ...tables });
    const isPostgres = options.type === 'postgres';
    const id = isPostgres ? 'SERIAL PRIMARY KEY' : 'INTEGER PRIMARY KEY AUTOINCREMENT';
    await dataSource.query(`CREATE TABLE berths (id ${id}, ship TEXT NOT NULL)`);
    // Two applications are replicas on PostgreSQL, where they share only the database.
    replicas = await Promise.all((isPostgres ? [1, 2] : [1]).map(() => replica()));
  });

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 2, 14, 12);
    for (const table of ['berths', 'idempotency_records']) await dataSource.query(`DELETE FROM ${table}`);
  });

  afterAll(async () => {
    await Promise.all((replicas ?? []).map((app) => app.close()));
    await dataSource?.destroy();
  });

  const store = () => new TypeOrmIdempotencyStore(dataSource, { now: () => nowMs });

  async function replica(): Promise<INestApplication> {
    const module = await Test.createTestingModule({
      imports: [
        IdempotencyModule.forRoot({
          store: store(),
          callerOf: ({ headers }) => (headers['x-captain'] as string | undefined) ?? null,
        }),
      ],
      controllers: [BerthsController],
    }).compile();
    return module.createNestApplication({ logger: false }).init();
  }

  function take(ship = 'Ada', key: string | null = 'once', captain = 'Anna', of = 0) {
    const sent = request(replicas[of % replicas.length]!.getHttpServer()).post('/berths');
    if (key !== null) void sent.set('Idempotency-Key', key);
    return sent.set('X-Captain', captain).send({ ship });
  }

  const ships = async () => (await dataSource.manager.find(Berth)).map(({ ship }) => ship);

  it('gives a retry the status, headers and body of the first response, and does nothing again', async () => {
    const first = await take();
    const retry = await take('Ada', '"once"', 'Anna', 1);

    expect(first.status).toBe(202);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(retry.headers).toMatchObject({ location: first.headers.location, 'idempotent-replayed': 'true' });
    expect([retry.status, retry.body]).toEqual([202, first.body]);
    expect(await ships()).toEqual(['Ada']);
  });

  it('stores nothing of a request that fails, with a key and without, so the key can be used again', async () => {
    await take('Titanic').expect(404);
    await take('Titanic', null).expect(404);
    expect(await ships()).toEqual([]);

    await take('Ada').expect(202);
    expect(await ships()).toEqual(['Ada']);
  });

  it('refuses the key with another request, and a malformed one', async () => {
    await take();
    expect((await take('Bob').expect(422)).body).toMatchObject({ code: 'idempotency_key_reused' });
    expect((await take('Bob', 'a b').expect(400)).body).toMatchObject({ code: 'invalid_parameter' });
    expect(await ships()).toEqual(['Ada']);
  });

  it('separates the keys of callers, and runs without a key at each request', async () => {
    await take('Ada', 'once', 'Anna');
    await take('Ada', 'once', 'Bert').expect(202);
    await take('Ada', null);
    await take('Ada', null);
    expect(await ships()).toEqual(['Ada', 'Ada', 'Ada', 'Ada']);
  });

  it('runs once when retries come while the first request runs, on every replica', async () => {
    let goOn = (): void => undefined;
    const retried = new Promise<void>((resolve) => (goOn = resolve));
    let hasStarted = (): void => undefined;
    const begun = new Promise<void>((resolve) => (hasStarted = resolve));
    BerthsController.beforeResponse.push(() => {
      hasStarted();
      return retried;
    });
    const first = take().then((response) => response);
    await begun;
    const retries = Promise.all([1, 2, 3].map((of) => take('Ada', 'once', 'Anna', of)));
    if (options.type === 'postgres')
      expect((await retries).map(({ status, headers }) => [status, headers['retry-after']])).toEqual(
        Array(3).fill([409, '1']),
      );
    goOn();

    expect((await first).status).toBe(202);
    // SQLite has one connection, so there they wait for the first.
    if (options.type !== 'postgres')
      expect((await retries).map(({ headers }) => headers['idempotent-replayed'])).toEqual(
        Array(3).fill('true'),
      );
    expect(await ships()).toEqual(['Ada']);
  });

  /** Makes the first responses older. */
  const age = (ms: number) =>
    dataSource.query(`UPDATE idempotency_records SET created_at = created_at - ${ms}`);

  it('forgets a response after 24 hours', async () => {
    await take();
    await store().removeExpired();
    await age(DAY_MS - 60_000);
    expect((await take()).headers['idempotent-replayed']).toBe('true');

    await age(60_000);
    await take('Bob').expect(202);
    expect(await ships()).toEqual(['Ada', 'Bob']);
    await age(DAY_MS);
    await store().removeExpired();
    expect(await dataSource.query('SELECT * FROM idempotency_records')).toEqual([]);
  });

  it('goes by the clock of the database, which on SQLite is that of the process', async () => {
    await take();
    nowMs += DAY_MS;
    await store().removeExpired();
    await take();

    expect(await ships()).toEqual(options.type === 'postgres' ? ['Ada'] : ['Ada', 'Ada']);
  });

  it('gives no transaction to a handler that is not idempotent', async () => {
    await request(replicas[0]!.getHttpServer()).post('/berths/lost').expect(500);
  });

  it('has a table that its migration removes again', async () => {
    await dataSource.undoLastMigration();
    await dataSource.undoLastMigration();
    await expect(dataSource.query('SELECT * FROM idempotency_records')).rejects.toThrow();
    await dataSource.runMigrations();
    expect(await dataSource.query('SELECT * FROM idempotency_records')).toEqual([]);
  });
});

describe('@Idempotent()', () => {
  it('refuses a handler that sends its response itself', () => {
    expect(() => {
      class SignalsController {
        @Idempotent()
        send(@Res() response: { end(): void }): void {
          response.end();
        }
      }
      return SignalsController;
    }).toThrow('SignalsController.send sends its response itself');
  });
});
