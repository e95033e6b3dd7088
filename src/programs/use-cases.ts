import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  databaseHasTable,
  DatabaseMissing,
  DatabaseModule,
  locationOf,
  openDatabase,
  type Tables,
} from '@animal-store/database';
import type { Clock } from '@animal-store/kernel';
import { SettingsModule } from '../settings/settings.module.js';
import { loadSettings } from '../settings/settings.js';

/** The use cases over the open database. */
export type UseCases = Pick<INestApplicationContext, 'get'>;

/**
 * Runs one command. The database is open only while the command runs, so it is never opened for arguments that are
 * refused. Only a command with `createsDatabase` may create the database; every other one needs an existing one.
 */
export type WithUseCases = (
  command: (useCases: UseCases) => Promise<void>,
  options?: { createsDatabase?: boolean },
) => Promise<void>;

export interface Surroundings {
  readonly environment: () => NodeJS.ProcessEnv;
  /** The file that sets a variable; null when none does. */
  readonly fileThatSets?: (variable: string) => string | null;
  readonly clock: Clock;
  readonly complain: (text: string) => void;
}

export interface UseCasesOptions {
  /** The name of the program. */
  readonly program: string;
  readonly module: Type;
  readonly tables: Tables;
  /** One of these tables, by which the program finds out whether they exist. */
  readonly table: string;
}

/** The use cases of a module, without the rest of the server. */
export function useCasesOf(
  { program, module, tables, table }: UseCasesOptions,
  { environment, fileThatSets = () => null, clock, complain }: Surroundings,
): WithUseCases {
  return async (command, { createsDatabase = false } = {}) => {
    const settings = loadSettings(environment());
    const exists = await databaseHasTable(settings.database, table);
    if (!exists && !createsDatabase) {
      // `keys create` makes its own tables alone.
      if (!(await databaseHasTable(settings.database, 'api_keys')))
        throw new DatabaseMissing(settings.database);
      const name = locationOf(settings.database);
      throw new Error(`The database ${name} has no ${program} yet: no server has started on it.`);
    }
    const file = fileThatSets('DATABASE_URL');
    // A `.env` in the current folder may name another database than intended.
    const location = `${locationOf(settings.database)}${file === null ? '' : `, as ${file} says`}`;
    if (exists) complain(`${program}: using the database ${location}.\n`);
    const database = await openDatabase(settings.database, [tables], {
      onWaiting: (sentence) => complain(`${program}: ${sentence}\n`),
    });
    if (!exists) complain(`${program}: created the tables in the database ${location}.\n`);
    const context = await NestFactory.createApplicationContext(
      { module, imports: [SettingsModule.forRoot(settings, clock), DatabaseModule.forRoot(database)] },
      { logger: false, abortOnError: false },
    );
    try {
      await command(context);
    } finally {
      await context.close();
    }
  };
}
