import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, EntityManager, type ObjectLiteral } from 'typeorm';
import { UnitOfWork } from '@animal-store/kernel';
import { Database } from './database.js';

type RecordClass = new () => ObjectLiteral;

/** The token of `@nestjs/typeorm`. */
const repositoryToken = ({ name }: RecordClass) => `${name}Repository`;

/** Injects the repository that `DatabaseModule.forFeature` provides. The one of `@nestjs/typeorm` is the same. */
export const InjectRepository = (record: RecordClass) => Inject(repositoryToken(record));

@Module({})
class RepositoriesModule {}

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

  /**
   * Provides TypeORM's repositories of the records, for `@InjectRepository`. They work outside units of work; in one,
   * use `database.entityManager(transaction).withRepository(repository)`.
   */
  static forFeature(records: readonly RecordClass[]): DynamicModule {
    const providers = records.map((record) => ({
      provide: repositoryToken(record),
      useFactory: (database: Database) => database.repository(record),
      inject: [Database],
    }));
    return { module: RepositoriesModule, providers, exports: providers.map(({ provide }) => provide) };
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}

/**
 * The error of a start, with a sentence of its own when a module injects TypeORM's DataSource, as
 * `TypeOrmModule.forFeature()` does, or its EntityManager.
 */
export function explainMissingDataSource(error: unknown): unknown {
  const { context } = error as { readonly context?: { readonly name?: unknown } };
  if (context?.name !== DataSource && context?.name !== EntityManager) return error;
  return new Error(
    'There is no DataSource or EntityManager to inject, so TypeOrmModule.forFeature() cannot be used: its ' +
      'repositories would write into the transactions of others. DatabaseModule.forFeature() provides the same repositories.',
    { cause: error },
  );
}
