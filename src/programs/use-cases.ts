import type { INestApplicationContext, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Command } from 'commander';
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
import { VERSION } from '../version.js';
import { terminalJson, terminalText } from './run-program.js';

/** The use cases over the open database. */
export type UseCases = Pick<INestApplicationContext, 'get'>;

/**
 * Runs one command. The database is open only while the command runs, so it is never opened for arguments that are
 * refused. Only a command with `createsDatabase` may create the database; every other one needs an existing one.
 */
type WithUseCases = (
  command: (useCases: UseCases) => Promise<void>,
  options?: { createsDatabase?: boolean },
) => Promise<void>;

export interface Surroundings {
  readonly environment: () => NodeJS.ProcessEnv;
  /** The file that sets a variable; null when none does. */
  readonly fileThatSets?: (variable: string) => string | null;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

export interface CommandLineOptions {
  readonly program: string;
  readonly description: string;
  readonly module: Type;
  readonly tables: Tables;
  /** One of these tables, by which the program finds out whether they exist. */
  readonly table: string;
}

/** A command line over the use cases of a module, whose commands print responses. */
export function commandLine(options: CommandLineOptions, surroundings: Surroundings) {
  const { print } = surroundings;
  const withUseCases = useCasesOf(options, surroundings);
  const program = new Command(options.program)
    .description(`${options.description} Works while the server runs.`)
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', 'print one JSON object (or array) and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .exitOverride();
  const isJson = () => Boolean(program.opts<{ json?: true }>().json);

  /** Runs a command over the open database and prints its response, as JSON or as a text for people. */
  function run<T>(
    command: (useCases: UseCases) => Promise<T>,
    text: (response: T) => string,
    opening?: { createsDatabase: boolean },
  ): Promise<void> {
    return withUseCases(async (useCases) => {
      const response = await command(useCases);
      print(`${isJson() ? terminalJson(response) : terminalText(text(response))}\n`);
    }, opening);
  }

  return { program, isJson, run, withUseCases };
}

/** The use cases of a module, without the rest of the server. */
function useCasesOf(
  { program, module, tables, table }: CommandLineOptions,
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
