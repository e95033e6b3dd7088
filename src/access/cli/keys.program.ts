import { type Type } from '@nestjs/common';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { hashApiKey } from '@animal-store/api-keys';
import { BAD_ARGUMENTS } from '../../platform/config/run-program.js';
import { Settings } from '../../platform/config/settings.js';
import { VERSION } from '../../platform/config/version.js';
import type { Clock } from '@animal-store/kernel';
import { CreateKey, type CreateKeyInput } from '../application/create-key.use-case.js';
import { FindKey } from '../application/find-key.use-case.js';
import { LiftBan } from '../application/lift-ban.use-case.js';
import { KEY_ORDERS, ListKeys, type ListKeysInput } from '../application/list-keys.use-case.js';
import { RevokeKey } from '../application/revoke-key.use-case.js';
import { RotateKey } from '../application/rotate-key.use-case.js';
import { SetPlan } from '../application/set-plan.use-case.js';
import { keyLabelProblem } from '../domain/key-label.js';
import { PLAN_NAMES, type PlanLimits, type PlanName, planProblem } from '../domain/plan.js';
import {
  apiKeyResponse,
  issuedKeyResponse,
  listedKeyResponse,
  rotatedKeyResponse,
} from './api-key.response.js';
import { deprecatedCallers, deprecatedCallersText } from './deprecated-callers.js';
import { parseDuration } from './duration.js';
import { isKeyText, keyIdProblem } from './key-id.js';
import { issuedKeyText, keyListText, keyText, liftedBanText, rotatedKeyText } from './key-text.js';
import type { Terminal } from './terminal.js';

/** A page of a list on a terminal. A script gets all keys unless it asks for pages. */
const KEYS_A_PAGE = 50;

const DURATIONS = `
A duration is a whole number and s, m, h or d (seconds, minutes, hours or days), such as 90s, 15m, 24h or 90d.`;

/** The use cases over the open database. */
export interface UseCases {
  get<T>(useCase: Type<T>): T;
}

/**
 * Runs one command. The database is open only while the command runs, so it is never opened for arguments that are
 * refused. Only a command with `createsDatabase` may create the database; every other one needs an existing one.
 */
export type WithUseCases = (
  command: (useCases: UseCases) => Promise<void>,
  options?: { createsDatabase?: boolean },
) => Promise<void>;

export interface KeysProgramParts {
  readonly withUseCases: WithUseCases;
  readonly terminal: Terminal;
  readonly print: (text: string) => void;
  readonly clock: Clock;
}

/** The commands, their arguments and what they print. */
export function keysProgram({ withUseCases, terminal, print, clock }: KeysProgramParts): Command {
  const program = new Command('keys')
    .description('Issues and changes the API keys of the animal store. Works while the server runs.')
    .version(VERSION, '-V, --version', 'print the version')
    .option('--json', 'print one JSON object (or array) and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .exitOverride();

  function output<T>(response: T, text: (response: T) => string): void {
    print(`${program.opts<{ json?: true }>().json ? JSON.stringify(response) : text(response)}\n`);
  }

  program
    .command('create')
    .description('issue a key and show it once')
    .requiredOption('--name <name>', 'what the key is for', parseLabel)
    .addOption(planOption())
    .option(
      '--account <account>',
      'the account that owns the key (default: a new account for this key)',
      parseLabel,
    )
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .option(
      '--expires-in <duration>',
      'how long the key works, such as 90d (default: no limit)',
      parseLifetime,
    )
    .addHelpText('after', DURATIONS)
    .action(async (_, command: Command) => {
      const { expiresIn, ...options } = command.opts<
        Omit<CreateKeyInput, 'expiresInMs'> & { expiresIn?: number }
      >();
      refuseBadPlan(command, options.plan, options);
      await withUseCases(
        async (useCases) => {
          const issued = await useCases.get(CreateKey).execute({ ...options, expiresInMs: expiresIn });
          output(issuedKeyResponse(issued), issuedKeyText);
        },
        { createsDatabase: true },
      );
    });

  program
    .command('list')
    .description('list the keys, including revoked and expired ones, in the order in which they were issued')
    .option('--active', 'only keys that are neither revoked nor expired')
    .option('--banned', 'only keys that are banned now')
    .addOption(new Option('--plan <plan>', 'only keys on this plan').choices(PLAN_NAMES))
    .option('--account <account>', 'only keys of this account', parseLabel)
    .option('--name <text>', 'only keys with this in their name', parseLabel)
    .addOption(
      new Option('--sort <order>', 'expires: the first to expire first; used: the most used today first')
        .choices(KEY_ORDERS)
        .default('created'),
    )
    .option('--reverse', 'list the last one first')
    .option('--usage', 'show what each key has used today, and its ban')
    .option(
      '--limit <n>',
      `keys on a page (default: ${KEYS_A_PAGE} on a terminal, otherwise all)`,
      parseCount,
    )
    .option('--page <n>', 'which page to show (default: 1)', parseCount)
    .action(async (options: ListKeysInput, command: Command) => {
      const isShown = terminal.showsOutput && !program.opts<{ json?: true }>().json;
      const { limit = isShown ? KEYS_A_PAGE : undefined, ...rest } = options;
      if (limit === undefined && rest.page !== undefined) command.error('--page needs a --limit.');
      const input = { ...rest, limit };
      await withUseCases(async (useCases) => {
        const { keys, total } = await useCases.get(ListKeys).execute(input);
        const nowMs = clock.now();
        output(
          keys.map((key) => listedKeyResponse(key, nowMs)),
          (listed) => keyListText(listed, total, input),
        );
      });
    });

  program
    .command('find')
    .description('show the key whose text is on standard input; a person is asked for it')
    // Declared, so that its own problem is reported: arguments are visible to every process of the machine.
    .argument('[text]', 'refused: pass the text on standard input, as arguments are visible to others')
    .action(async (text: string | undefined) => {
      if (text !== undefined)
        throw badKeyText('pass the text of the key on standard input, not as an argument.');
      const given = (await terminal.readSecret('The text of the key (not shown): '))?.trim() ?? '';
      if (given === '') throw badKeyText('there is no text of a key on standard input.');
      if (!isKeyText(given)) throw badKeyText('this is not the text of a key, or it is mistyped.');
      await withUseCases(async (useCases) => {
        const key = await useCases.get(FindKey).execute({ hash: hashApiKey(given) });
        output(apiKeyResponse(key, clock.now()), keyText);
      });
    });

  program
    .command('deprecated')
    .description('list who still calls deprecated operations, by the metrics of the running servers')
    .option('--from <urls...>', 'the metrics of each server (default: those on METRICS_PORT of this machine)')
    .action(({ from }: { from?: string[] }, command: Command) =>
      withUseCases(async (useCases) => {
        const urls = from ?? ownMetrics(useCases.get(Settings));
        if (urls === null) command.error('set METRICS_PORT, or name the metrics with --from.');
        output(await deprecatedCallers(urls, useCases.get(FindKey), clock.now()), deprecatedCallersText);
      }),
    );

  program
    .command('show')
    .description('show a key, its usage and its ban')
    .addArgument(idArgument('the id of the key'))
    .action((id: string) =>
      withUseCases(async (useCases) => {
        const found = await useCases.get(FindKey).withUsage(id);
        output(listedKeyResponse(found, clock.now()), keyText);
      }),
    );

  program
    .command('set-plan')
    .description('put a key on another plan')
    .addArgument(idArgument('the id of the key'))
    .addOption(planOption())
    .addOption(perMinuteOption())
    .addOption(perDayOption())
    .action(async (id: string, _, command: Command) => {
      const options = command.opts<{ plan: PlanName } & Partial<PlanLimits>>();
      refuseBadPlan(command, options.plan, options);
      await withUseCases(async (useCases) => {
        const key = await useCases.get(SetPlan).execute({ id, ...options });
        output(apiKeyResponse(key, clock.now()), keyText);
      });
    });

  program
    .command('rotate')
    .description('issue a new key that replaces an old one; the old one works until the grace period ends')
    .addArgument(idArgument('the id of the old key'))
    .addOption(
      new Option('--grace <duration>', 'how long the old key still works')
        .argParser(parseGrace)
        .default(parseGrace('24h'), '24h'),
    )
    .addHelpText('after', DURATIONS)
    .action((id: string, { grace }: { grace: number }) =>
      withUseCases(async (useCases) => {
        const rotated = await useCases.get(RotateKey).execute({ id, graceMs: grace });
        output(rotatedKeyResponse(rotated, clock.now()), rotatedKeyText);
      }),
    );

  program
    .command('revoke')
    .description('revoke a key permanently; on a terminal it asks before')
    .addArgument(idArgument('the id of the key'))
    .option('-y, --yes', 'do not ask')
    .action((id: string, { yes = false }: { yes?: boolean }) =>
      withUseCases(async (useCases) => {
        if (terminal.isInteractive && !yes) {
          const { name, account } = await useCases.get(FindKey).execute({ id });
          const question = `Revoke ${id} (${name}, account ${account}) permanently? [y/N] `;
          if (!(await terminal.confirm(question))) throw new Error(`${id} is not revoked.`);
        }
        const key = await useCases.get(RevokeKey).execute(id);
        output(apiKeyResponse(key, clock.now()), keyText);
      }),
    );

  program
    .command('unban')
    .description('lift the ban of a key')
    .addArgument(idArgument('the id of the key'))
    .action((id: string) =>
      withUseCases(async (useCases) => {
        const { key, wasBanned } = await useCases.get(LiftBan).execute(id);
        output({ ...apiKeyResponse(key, clock.now()), wasBanned }, liftedBanText);
      }),
    );

  return program;
}

/** Where a server on this machine with the same settings serves its metrics; null when it serves none. */
function ownMetrics({ metrics, server }: Settings): string[] | null {
  if (metrics.port === null) return null;
  const host = ['0.0.0.0', '::'].includes(server.host) ? 'localhost' : server.host;
  return [`http://${host.includes(':') ? `[${host}]` : host}:${metrics.port}/metrics`];
}

function planOption(): Option {
  return new Option('--plan <plan>', 'the plan of the key').choices(PLAN_NAMES).makeOptionMandatory();
}

function perMinuteOption(): Option {
  return new Option(
    '--per-minute <n>',
    'requests per minute; required for enterprise, refused for other plans',
  ).argParser(parseLimit);
}

function perDayOption(): Option {
  return new Option(
    '--per-day <n>',
    'requests per day; required for enterprise, refused for other plans',
  ).argParser(parseLimit);
}

function refuseBadPlan(command: Command, plan: PlanName, limits: Partial<PlanLimits>): void {
  const problem = planProblem(plan, limits);
  if (problem) command.error(problem);
}

function idArgument(description: string): Argument {
  return new Argument('<id>', description).argParser((text: string) => {
    const problem = keyIdProblem(text);
    // Not an InvalidArgumentError: its message repeats the argument, and people often pass the text of a key instead of
    // its id.
    if (problem) throw new CommanderError(BAD_ARGUMENTS, 'keys.badId', problem);
    return text;
  });
}

function badKeyText(problem: string): CommanderError {
  return new CommanderError(BAD_ARGUMENTS, 'keys.badText', problem);
}

function parseLabel(text: string): string {
  const problem = keyLabelProblem(text);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

function parseLimit(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}

function parseCount(text: string): number {
  const count = parseLimit(text);
  if (count === 0) throw new InvalidArgumentError('It must be at least 1.');
  return count;
}

function parseGrace(text: string): number {
  const ms = parseDuration(text);
  if (ms === null) {
    throw new InvalidArgumentError(
      'It must be a whole number followed by s, m, h or d, such as 24h, and at most a century.',
    );
  }
  return ms;
}

function parseLifetime(text: string): number {
  const ms = parseGrace(text);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than 0.');
  return ms;
}
