import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource, EntityManager } from 'typeorm';
import { explainMissingDataSource } from './database.module.js';

/** As `TypeOrmModule.forFeature()` does, and `@InjectEntityManager()`. */
const moduleThatInjects = (token: typeof DataSource | typeof EntityManager) => ({
  module: class CatsModule {},
  providers: [{ provide: 'CatRepository', useFactory: () => null, inject: [token] }],
});

@Module({ providers: [{ provide: 'Cats', useFactory: () => null, inject: ['Kennel'] }] })
class KennelModule {}

describe('A start without', () => {
  const errorOf = (module: object) =>
    NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }).catch(
      (error: unknown) => explainMissingDataSource(error),
    );

  it.each([DataSource, EntityManager])("TypeORM's %p says what to use instead", async (token) => {
    expect(await errorOf(moduleThatInjects(token))).toMatchObject({
      message: expect.stringContaining(
        'TypeOrmModule.forFeature() cannot be used: its repositories would write into the transactions of others. DatabaseModule.forFeature() provides',
      ) as string,
    });
  });

  it('anything else says what Nest says', async () => {
    expect(await errorOf(KennelModule)).toMatchObject({
      message: expect.stringMatching(/^Nest can't resolve dependencies of the Cats/) as string,
    });
  });
});
