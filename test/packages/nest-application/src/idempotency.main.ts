/** What the package idempotency stores: values that are no objects, bodies of bytes, in SQLite or PostgreSQL. */
import { Body, Controller, Module, Param, Post, VERSION_NEUTRAL } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Idempotent, IdempotencyModule, InTransaction } from '@animal-store/idempotency';
import { idempotencyTables, TypeOrmIdempotencyStore } from '@animal-store/idempotency/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { settings, start } from './application.js';

const VALUES = {
  number: 7,
  text: 'Ada',
  boolean: false,
  null: null,
  nothing: undefined,
  bytes: Buffer.from('Ada'),
};

const { databaseUrl: url } = settings;
const database = new DataSource({
  ...(url === '' ? { type: 'better-sqlite3', database: ':memory:' } : { type: 'postgres', url }),
  ...idempotencyTables,
} as ConstructorParameters<typeof DataSource>[0]);
let weighed = 0;

@Controller({ path: 'berths', version: VERSION_NEUTRAL })
class BerthsController {
  @Post('like/:kind')
  @Idempotent()
  like(@Param('kind') kind: keyof typeof VALUES): unknown {
    return VALUES[kind];
  }

  @Post('weigh')
  @Idempotent()
  async weigh(@Body() body: unknown, @InTransaction() manager: EntityManager): Promise<object> {
    await manager.query('SELECT 1');
    const kind = Buffer.isBuffer(body) ? `bytes ${body.toString()}` : JSON.stringify(body);
    return { kind, weighed: ++weighed };
  }
}

@Module({
  imports: [
    IdempotencyModule.forRoot({ store: new TypeOrmIdempotencyStore(database), callerOf: () => 'anna' }),
  ],
  controllers: [BerthsController],
})
class BerthsModule {}

void database.initialize().then(() =>
  start(BerthsModule, (app) => {
    const type = 'application/octet-stream';
    if (settings.adapter === 'fastify') (app as NestFastifyApplication).useBodyParser(type);
    else (app as NestExpressApplication).useBodyParser('raw', { type });
  }),
);
