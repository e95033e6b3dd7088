import { NestFactory } from '@nestjs/core';
import { CommanderError } from 'commander';
import { InvalidSettings, loadSettings } from '../../platform/config/settings.js';
import { openDatabase } from '../../platform/database/data-source.js';
import { DatabaseMissing, databaseHasTable, locationOf } from '../../platform/database/existing-database.js';
import type { Clock } from '../../shared/clock.js';
import { DomainError } from '../../shared/domain-error.js';
import { accessTables } from '../infrastructure/access.tables.js';
import { withoutKeyTexts } from './key-id.js';
import { KeysModule } from './keys.module.js';
import { keysProgram, type WithUseCases } from './keys.program.js';

const DONE = 0;
const FAILED = 1;
const BAD_ARGUMENTS = 2;

const KEYS_TABLE = 'api_keys';

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

export interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly print: (text: string) => void;
  readonly complain: (text: string) => void;
}

/**
 * Runs the `keys` command line once and returns its exit code: 0 for success; 1 for failure (no such key, an expired or
 * revoked key, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export async function runKeys(
  args: readonly string[],
  { environment, clock, print, complain }: Surroundings,
): Promise<number> {
  const withUseCases: WithUseCases = async (command, { createsDatabase = false } = {}) => {
    const settings = loadSettings(environment);
    const exists = await databaseHasTable(settings.database, KEYS_TABLE);
    if (!exists && !createsDatabase) throw new DatabaseMissing(settings.database);
    const database = await openDatabase(settings.database, [accessTables]);
    if (!exists) complain(`keys: created the tables in the database ${locationOf(settings.database)}.\n`);
    const context = await NestFactory.createApplicationContext(
      KeysModule.forRoot(settings, database, clock),
      {
        logger: false,
        abortOnError: false,
      },
    );
    try {
      await command(context);
    } finally {
      await context.close();
    }
  };
  try {
    await keysProgram({ withUseCases, print, clock }).parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return DONE;
    complain(`${complaint(error)}\n`);
    const isBadArgument =
      error instanceof CommanderError || (error instanceof DomainError && error.kind === 'invalid');
    return isBadArgument ? BAD_ARGUMENTS : FAILED;
  }
}

function complaint(error: unknown): string {
  if (error instanceof InvalidSettings) return error.message;
  // Commander would print its whole help when the command is missing.
  if (error instanceof CommanderError && error.code === 'commander.help') {
    return 'keys: name a command: create, list, show, set-plan, rotate, revoke or unban. See --help.';
  }
  // Messages repeat arguments, which may contain anything. A message is printed on one line, with keys removed.
  const message = (error as Error).message.replace(/^error: /, '').replaceAll(CONTROL_CHARACTERS, ' ');
  return `keys: ${withoutKeyTexts(message)}`;
}
