import { NestFactory } from '@nestjs/core';
import {
  databaseHasTable,
  DatabaseMissing,
  DatabaseModule,
  locationOf,
  openDatabase,
} from '@animal-store/database';
import { SettingsModule } from '../settings/settings.module.js';
import { runProgram } from '../run-program.js';
import { loadSettings, type Settings } from '../settings/settings.js';
import { accessTables } from '../access/infrastructure/access.tables.js';
import { KeysModule } from '../access/keys.module.js';
import { withoutKeyTexts } from './input/arguments.js';
import { keysProgram, type KeysProgramParts, type WithUseCases } from './keys.program.js';

const KEYS_TABLE = 'api_keys';

export interface Surroundings extends Omit<KeysProgramParts, 'withUseCases'> {
  readonly environment: () => NodeJS.ProcessEnv;
  readonly complain: (text: string) => void;
}

/**
 * Runs the `keys` command line once and returns its exit code: 0 for success; 1 for failure (no such key, an expired or
 * revoked key, no consent, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export async function runKeys(
  args: readonly string[],
  { environment, clock, terminal, print, complain }: Surroundings,
): Promise<number> {
  const withUseCases: WithUseCases = async (command, { createsDatabase = false } = {}) => {
    const settings = loadSettings(environment());
    const exists = await databaseHasTable(settings.database, KEYS_TABLE);
    if (!exists && !createsDatabase) throw new DatabaseMissing(settings.database);
    const location = locationOf(settings.database);
    if (exists && !isDefault(settings.database)) complain(`keys: using the database ${location}.\n`);
    const database = await openDatabase(settings.database, [accessTables], null, (sentence) =>
      complain(`keys: ${sentence}\n`),
    );
    if (!exists) complain(`keys: created the tables in the database ${location}.\n`);
    const context = await NestFactory.createApplicationContext(
      {
        module: KeysModule,
        imports: [SettingsModule.forRoot(settings, clock), DatabaseModule.forRoot(database)],
      },
      { logger: false, abortOnError: false },
    );
    try {
      await command(context);
    } finally {
      await context.close();
    }
  };
  const program = keysProgram({ withUseCases, terminal, print, clock });
  return runProgram(program, args, (line) => complain(withoutKeyTexts(line)));
}

/** Somebody who has set another database should see that it is the one. */
function isDefault(database: Settings['database']): boolean {
  const standard = loadSettings({}).database;
  return database.kind === 'sqlite' && standard.kind === 'sqlite' && database.file === standard.file;
}
