import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { UnitOfWork } from '@animal-store/kernel';
import { Database } from './database.js';

/** Provides the open database to every context, and closes it after everything that uses it has stopped. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  static forRoot(database: Database): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: Database, useValue: database },
        { provide: UnitOfWork, useExisting: Database },
      ],
      exports: [Database, UnitOfWork],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}

/**
 * The error of a start, with a sentence of its own when a module asks for TypeORM's DataSource, as
 * `TypeOrmModule.forFeature()` does.
 */
export function explainMissingDataSource(error: unknown): unknown {
  const { context } = error as { readonly context?: { readonly name?: unknown } };
  if (context?.name !== DataSource) return error;
  return new Error(
    'There is no DataSource to inject, so TypeOrmModule.forFeature() cannot be used: its repositories would write outside ' +
      'the transactions of the service. Use database.entityManager(transaction).getRepository(…) (docs/statements.md, Plain TypeORM).',
    { cause: error },
  );
}
