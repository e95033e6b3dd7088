import { type DynamicModule, Module, type OnApplicationShutdown } from '@nestjs/common';
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
