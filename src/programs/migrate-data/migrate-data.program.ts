import { existsSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { locationOf, migrateData, openDatabase, type Tables } from '@animal-store/database';
import { BAD_ARGUMENTS, runProgram } from '../run-program.js';
import type { Surroundings as CommandSurroundings } from '../use-cases.js';
import { InvalidSettings, loadSettings, type Settings } from '../../settings/settings.js';
import { VERSION } from '../../version.js';

const PROGRESS_INTERVAL_MS = 1_000;
const TARGET_VARIABLE = 'DATABASE_URL';
/** Long, because whole tables are counted. */
const STATEMENT_TIMEOUT_MS = 600_000;

/** The DATABASE_URL of the environment is the target unless `--to` is. */
export interface Surroundings extends Required<CommandSurroundings> {
  readonly tables: readonly Tables[];
}

/**
 * Runs the `migrate-data` command line once and returns its exit code: 0 for success; 1 when nothing was moved; 2 for
 * bad arguments, without having opened or changed anything.
 */
export function runMigrateData(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const program = new Command('migrate-data')
    .description(
      'Moves all data from a SQLite database to an empty PostgreSQL database. Stop the service first. ' +
        'If the command is interrupted, nothing is moved: run it again.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .requiredOption('--from <url>', 'the SQLite database: sqlite:<file>')
    .option(
      '--to <url>',
      'the PostgreSQL database (default: DATABASE_URL, which other processes cannot see): postgres://user:password@host:port/database',
    )
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: surroundings.print, writeErr: () => undefined })
    .exitOverride()
    .action(({ from, to }: { from: string; to?: string }) => move(from, to, surroundings));
  return runProgram(program, args, surroundings.complain);
}

async function move(from: string, to: string | undefined, surroundings: Surroundings): Promise<void> {
  const { tables, environment, fileThatSets, clock, print, complain } = surroundings;
  const sourceSettings = databaseSettings('--from', from);
  const url = to ?? environment()[TARGET_VARIABLE];
  if (!url) throw badArgument(`set ${TARGET_VARIABLE}, or --to, to the PostgreSQL database.`);
  const targetName = to === undefined ? TARGET_VARIABLE : '--to';
  const targetSettings = databaseSettings(targetName, url);
  if (sourceSettings.kind !== 'sqlite') throw badArgument('--from must be sqlite:<file>.');
  if (targetSettings.kind !== 'postgres') throw badArgument(`${targetName} must be postgres://…`);
  const { file } = sourceSettings;
  if (!existsSync(file)) throw new Error(`There is no database file ${file}.`);

  const named = to === undefined ? fileThatSets(TARGET_VARIABLE) : null;
  if (named !== null)
    complain(`migrate-data: moving to the database ${locationOf(targetSettings)}, as ${named} says.\n`);
  // As the only server on the file: rows that another server wrote after their table was copied would be lost.
  const soleUser = { name: 'migrate-data', nowMs: clock.now() };
  const source = await openDatabase(sourceSettings, tables, { soleUser });
  try {
    const target = await openDatabase(
      { ...targetSettings, statementTimeoutMs: STATEMENT_TIMEOUT_MS },
      tables,
      { onWaiting: (sentence) => complain(`migrate-data: ${sentence}\n`) },
    );
    try {
      let printedAtMs = -Infinity;
      const moved = await migrateData({
        source,
        target,
        onProgress: (table, copied, total) => {
          const nowMs = clock.now();
          if (copied < total && nowMs - printedAtMs < PROGRESS_INTERVAL_MS) return;
          printedAtMs = nowMs;
          print(`${table}: ${copied} of ${total}\n`);
        },
      });
      print(`Moved ${moved} rows and compared them on both sides. Start the service on the new database.\n`);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function databaseSettings(option: string, url: string): Settings['database'] {
  try {
    return loadSettings({ DATABASE_URL: url }).database;
  } catch (error) {
    throw error instanceof InvalidSettings
      ? badArgument(error.message.replace('DATABASE_URL', option))
      : error;
  }
}

function badArgument(message: string): CommanderError {
  return new CommanderError(BAD_ARGUMENTS, 'migrate-data.badArgument', message);
}
