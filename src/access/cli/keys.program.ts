import { type Type } from '@nestjs/common';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import type { Clock } from '../../shared/clock.js';
import { CreateKey, type CreateKeyInput } from '../application/create-key.use-case.js';
import { LiftBan } from '../application/lift-ban.use-case.js';
import { ListKeys } from '../application/list-keys.use-case.js';
import { RevokeKey } from '../application/revoke-key.use-case.js';
import { RotateKey } from '../application/rotate-key.use-case.js';
import { SetPlan } from '../application/set-plan.use-case.js';
import { ShowKey } from '../application/show-key.use-case.js';
import { keyLabelProblem } from '../domain/key-label.js';
import { PLAN_NAMES, type PlanLimits, type PlanName, planProblem } from '../domain/plan.js';
import {
  apiKeyResponse,
  issuedKeyResponse,
  rotatedKeyResponse,
  shownKeyResponse,
} from './api-key.response.js';
import { parseDuration } from './duration.js';
import { keyIdProblem } from './key-id.js';
import { apiKeyText, issuedKeyText, keyListText, rotatedKeyText, shownKeyText } from './key-text.js';

/** The exit code of a shell command for wrong usage. */
const BAD_ARGUMENTS = 2;

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
  readonly print: (text: string) => void;
  readonly clock: Clock;
}

/** The commands, their arguments and what they print. */
export function keysProgram({ withUseCases, print, clock }: KeysProgramParts): Command {
  const program = new Command('keys')
    .description('Issues and changes the API keys of the animal store. Works while the server runs.')
    .option('--json', 'print one JSON object (or array) and nothing else')
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError(false)
    .configureOutput({ writeOut: print, writeErr: () => undefined })
    .exitOverride();

  const output = (json: unknown, text: string) =>
    print(`${program.opts<{ json?: true }>().json ? JSON.stringify(json) : text}\n`);

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
    .action(async (_, command: Command) => {
      const { expiresIn, ...options } = command.opts<
        Omit<CreateKeyInput, 'expiresInMs'> & { expiresIn?: number }
      >();
      refuseBadPlan(command, options.plan, options);
      await withUseCases(
        async (useCases) => {
          const issued = await useCases.get(CreateKey).execute({ ...options, expiresInMs: expiresIn });
          output(issuedKeyResponse(issued), issuedKeyText(issued, clock.now()));
        },
        { createsDatabase: true },
      );
    });

  program
    .command('list')
    .description('list all keys, including revoked and expired ones')
    .action(() =>
      withUseCases(async (useCases) => {
        const keys = await useCases.get(ListKeys).execute();
        const nowMs = clock.now();
        output(
          keys.map((key) => apiKeyResponse(key, nowMs)),
          keyListText(keys, nowMs),
        );
      }),
    );

  program
    .command('show')
    .description('show a key, its usage and its ban')
    .addArgument(idArgument('the id of the key'))
    .action((id: string) =>
      withUseCases(async (useCases) => {
        const { key, usage } = await useCases.get(ShowKey).execute(id);
        output(shownKeyResponse(key, usage, clock.now()), shownKeyText(key, usage, clock.now()));
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
        output(apiKeyResponse(key, clock.now()), apiKeyText(key, clock.now()));
      });
    });

  program
    .command('rotate')
    .description('issue a new key that replaces an old one; the old one works until the grace period ends')
    .addArgument(idArgument('the id of the old key'))
    .option(
      '--grace <duration>',
      'how long the old key still works (default: 24h)',
      parseGrace,
      parseGrace('24h'),
    )
    .action((id: string, { grace }: { grace: number }) =>
      withUseCases(async (useCases) => {
        const rotated = await useCases.get(RotateKey).execute({ id, graceMs: grace });
        output(rotatedKeyResponse(rotated, clock.now()), rotatedKeyText(rotated, clock.now()));
      }),
    );

  program
    .command('revoke')
    .description('revoke a key permanently')
    .addArgument(idArgument('the id of the key'))
    .action((id: string) =>
      withUseCases(async (useCases) => {
        const key = await useCases.get(RevokeKey).execute(id);
        output(apiKeyResponse(key, clock.now()), apiKeyText(key, clock.now()));
      }),
    );

  program
    .command('unban')
    .description('lift the ban of a key')
    .addArgument(idArgument('the id of the key'))
    .action((id: string) =>
      withUseCases(async (useCases) => {
        const key = await useCases.get(LiftBan).execute(id);
        output(apiKeyResponse(key, clock.now()), apiKeyText(key, clock.now()));
      }),
    );

  return program;
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

function parseLabel(text: string): string {
  const problem = keyLabelProblem(text);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

function parseLimit(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
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
