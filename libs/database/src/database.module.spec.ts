import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DataSource } from 'typeorm';
import { explainMissingDataSource } from './database.module.js';

/** As `TypeOrmModule.forFeature()` does. */
@Module({ providers: [{ provide: 'CatRepository', useFactory: () => null, inject: [DataSource] }] })
class CatsModule {}

@Module({ providers: [{ provide: 'Cats', useFactory: () => null, inject: ['Kennel'] }] })
class KennelModule {}

describe('A start without', () => {
  const errorOf = (module: object) =>
    NestFactory.createApplicationContext(module, { logger: false, abortOnError: false }).catch(
      (error: unknown) => explainMissingDataSource(error),
    );

  it("TypeORM's DataSource says in a sentence what to use instead", async () => {
    expect(await errorOf(CatsModule)).toMatchObject({
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
