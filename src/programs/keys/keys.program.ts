import { type Command, Option } from 'commander';
import { hashApiKey } from '@animal-store/api-keys';
import { commandLine, type Surroundings as CommandSurroundings, type UseCases } from '../use-cases.js';
import { JsonArray, runProgram, terminalText } from '../run-program.js';
import { withoutKeys } from '../../version.js';
import { accessTables } from '../../access/infrastructure/access.tables.js';
import { KeysModule } from '../../access/keys.module.js';
import { ChangeAccount } from '../../access/application/change-account.use-case.js';
import { StoreKeyIssuer, type RequestedKey } from '../../access/application/key-issuer.service.js';
import { FindKey } from '../../access/application/find-key.use-case.js';
import { ListKeyChanges } from '../../access/application/list-key-changes.use-case.js';
import { LiftBan, type LiftBanInput } from '../../access/application/usage/lift-ban.use-case.js';
import { ListDeprecatedCallers } from '../../access/application/usage/list-deprecated-callers.use-case.js';
import { ListBans } from '../../access/application/usage/list-bans.use-case.js';
import { ReadUsage } from '../../access/application/usage/read-usage.js';
import { ListKeys, type ListKeysInput } from '../../access/application/list-keys.use-case.js';
import { type ApiKey, instant } from '../../access/domain/api-key.js';
import { PLAN_NAMES, type PlanLimits, type PlanName } from '../../access/domain/plan.js';
import type { KeyUsage } from '../../access/domain/usage.reader.js';
import {
  addPlan,
  badKey,
  BANNED,
  ID,
  keyOrAccount,
  OPTIONAL_ID,
  parseDuration,
  parseKeyText,
  parseLabel,
  parseLifetime,
  SCOPE,
} from './input/arguments.js';
import {
  bansText,
  deprecatedCallersText,
  historyText,
  issuedKeyText,
  KeyListText,
  keyTable,
  keyText,
  liftedBanText,
  revokedKeyText,
  rotatedKeyText,
} from './output/key-text.js';
import { banResponse, dayText, issuedKeyResponse, keyResponse } from './output/key.response.js';
import type { Terminal } from './input/terminal.js';

const DURATIONS = `
A duration is a whole number and s, m, h or d (seconds, minutes, hours or days), such as 90s, 15m, 24h or 90d.`;

interface CreateOptions extends Omit<RequestedKey, 'scopes' | 'expiresInMs'> {
  readonly scope?: string[];
  readonly expiresIn?: number;
}

interface ListOptions extends Omit<ListKeysInput, 'unusedForMs'> {
  readonly unusedFor?: number;
}

interface PlanOptions extends Partial<PlanLimits> {
  readonly plan: PlanName;
}

interface AccountOption {
  readonly account?: string;
}

interface RevokeOptions extends AccountOption {
  readonly yes?: boolean;
  readonly withDescendants?: boolean;
}

export interface Surroundings extends CommandSurroundings {
  readonly terminal: Terminal;
}

/**
 * Runs the `keys` command line once and returns its exit code: 0 for success; 1 for failure (no such key, an expired or
 * revoked key, no consent, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export function runKeys(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const complain = (text: string) => surroundings.complain(terminalText(withoutKeys(text)));
  return runProgram(keysProgram({ ...surroundings, complain }), args, complain);
}

/** The commands, their arguments and what they print. */
function keysProgram(surroundings: Surroundings): Command {
  const { terminal, print, clock } = surroundings;
  const description = 'Issues and changes the API keys of the animal store.';
  const keys = { program: 'keys', module: KeysModule, tables: accessTables, table: 'api_keys' };
  const { program, isJson, run, withUseCases } = commandLine({ ...keys, description }, surroundings);
  const shown = (key: ApiKey, usage?: KeyUsage | null) => keyResponse(key, clock.now(), usage);

  /** Prints keys while further ones are read: there may be any number of them. */
  function listAll(input: ListKeysInput): Promise<void> {
    return withUseCases(async (useCases) => {
      const list = isJson() ? new JsonArray() : new KeyListText(input);
      for await (const batch of useCases.get(ListKeys).execute(input))
        print(list.add(batch.map(({ key, usage }) => shown(key, usage))));
      print(list.end());
    });
  }

  /** Prints the keys of an account that were changed. */
  function changeAccount(account: string, change: (useCases: UseCases) => Promise<ApiKey[]>): Promise<void> {
    return run(
      async (useCases) => (await change(useCases)).map((key) => shown(key)),
      (keys) => (keys.length > 0 ? keyTable(keys) : `No key of ${account} had to be changed.`),
    );
  }

  addPlan(
    program
      .command('create')
      .description('issue a key and show it once')
      .requiredOption('--name <name>', 'what the key is for', parseLabel),
  )
    .option(
      '--account <account>',
      'the account that owns the key (default: a new account for this key)',
      parseLabel,
    )
    .addOption(SCOPE)
    .option(
      '--expires-in <duration>',
      'how long the key works, such as 90d (default: no limit)',
      parseLifetime,
    )
    .addHelpText('after', DURATIONS)
    .action(({ expiresIn, scope, ...options }: CreateOptions) =>
      run(
        async (useCases) =>
          issuedKeyResponse(
            await useCases.get(StoreKeyIssuer).issue({ ...options, scopes: scope, expiresInMs: expiresIn }),
          ),
        issuedKeyText,
        { createsDatabase: true },
      ),
    );

  program
    .command('list')
    .description('list the keys, including revoked and expired ones, in the order in which they were issued')
    .option('--active', 'only keys that are neither revoked nor expired')
    .addOption(new Option('--plan <plan>', 'only keys on this plan').choices(PLAN_NAMES))
    .option('--account <account>', 'only keys of this account', parseLabel)
    .option(
      '--unused-for <duration>',
      'only keys that were not used for so long, such as 90d, by whole UTC days; unused ones by their age',
      parseLifetime,
    )
    .option('--usage', 'show what the account of each key has used today, and the ban of the key')
    .addHelpText('after', DURATIONS)
    .action(({ unusedFor, ...options }: ListOptions) => listAll({ ...options, unusedForMs: unusedFor }));

  program
    .command('find')
    .description('show the key whose text is on standard input, or is typed at a prompt')
    // Declared, so that its own problem is reported: arguments are visible to every process of the machine.
    .argument('[text]', 'refused: pass the text on standard input, as arguments are visible to others')
    .action(async (argument: string | undefined) => {
      if (argument !== undefined)
        throw badKey('pass the text of the key on standard input, not as an argument.');
      const text = parseKeyText(await terminal.readSecret('The text of the key (not shown): '));
      await run(
        async (useCases) => shown(await useCases.get(FindKey).execute({ hash: hashApiKey(text) })),
        keyText,
      );
    });

  program
    .command('deprecated')
    .description('list who has called deprecated operations in the last 30 days, who called most first')
    .action(() =>
      run(async (useCases) => {
        const callers = await useCases.get(ListDeprecatedCallers).execute();
        return callers.map(({ operation, keyId, calls, day, key }) => {
          return { operation, keyId, calls, lastDay: dayText(day), key: key && shown(key) };
        });
      }, deprecatedCallersText),
    );

  program
    .command('show')
    .description('show a key, its ban, and what its account has used')
    .addArgument(ID)
    .action((id: string) =>
      run(async (useCases) => {
        const found = await useCases.get(FindKey).execute({ id });
        const [read] = await useCases.get(ReadUsage).of([found]);
        return shown(found, read!.usage);
      }, keyText),
    );

  program
    .command('history')
    .description('list who has changed a key or lifted its ban, when, and what, the first change first')
    .addArgument(OPTIONAL_ID)
    .option('--account <account>', 'of all keys that the account has ever had', parseLabel)
    .action((id: string | undefined, { account }: AccountOption) => {
      const of = keyOrAccount(id, account);
      return run(async (useCases) => {
        const changes = await useCases.get(ListKeyChanges).execute(of);
        return changes.map(({ subject, atMs, by, before, after }) => {
          return { key: subject, at: instant(atMs), by, before, after };
        });
      }, historyText);
    });

  addPlan(program.command('set-plan').description('put a key on another plan').addArgument(ID)).action(
    (id: string, { plan, ...limits }: PlanOptions) =>
      run(async (useCases) => shown(await useCases.get(StoreKeyIssuer).setPlan(id, plan, limits)), keyText),
  );

  program
    .command('rotate')
    .description('issue a new key that replaces an old one; the old one works until the grace period ends')
    .addArgument(ID)
    .addOption(
      new Option('--grace <duration>', 'how long the old key still works')
        .argParser(parseDuration)
        .default(parseDuration('24h'), '24h'),
    )
    .addHelpText('after', DURATIONS)
    .action((id: string, { grace }: { grace: number }) =>
      run(async (useCases) => {
        const rotated = await useCases.get(StoreKeyIssuer).rotate(id, grace);
        return { ...issuedKeyResponse(rotated), replaces: shown(rotated.replaced) };
      }, rotatedKeyText),
    );

  program
    .command('revoke')
    .description('revoke a key, or all of an account, permanently; on a terminal it requests confirmation')
    .addArgument(OPTIONAL_ID)
    .option('--account <account>', 'all keys of this account', parseLabel)
    .option('--with-descendants', 'revoke the keys that it has made, too, and those that they have')
    .option('-y, --yes', 'without confirmation')
    .action((id: string | undefined, { account, yes = false, withDescendants = false }: RevokeOptions) => {
      const what = keyOrAccount(id, account);
      const confirmed = async (question: string, refusal: string) => {
        if (!terminal.isInteractive || yes) return;
        if (!(await terminal.confirm(terminalText(`${question} permanently? [y/N] `))))
          throw new Error(refusal);
      };
      if ('account' in what)
        return changeAccount(what.account, async (useCases) => {
          await confirmed(`Revoke all keys of ${what.account}`, `${what.account} keeps its keys.`);
          return useCases.get(ChangeAccount).execute(what.account, 'revoke');
        });
      return run(async (useCases) => {
        const { name, account: owner } = await useCases.get(FindKey).execute(what);
        await confirmed(`Revoke ${what.id} (${name}, account ${owner})`, `${what.id} is not revoked.`);
        const { key, descendants } = await useCases.get(StoreKeyIssuer).revoke(what.id, { withDescendants });
        const ids = withDescendants ? [] : descendants.map((made) => made.id);
        const revokedDescendants = withDescendants ? descendants.length : 0;
        return { ...shown(key), revokedDescendants, remainingDescendants: ids };
      }, revokedKeyText);
    });

  for (const [verb, description] of [
    ['suspend', 'let no key of an account work, and none be made, until it resumes'],
    ['resume', 'let the keys of a suspended account work again'],
  ] as const)
    program
      .command(verb)
      .description(description)
      .requiredOption('--account <account>', 'the account', parseLabel)
      .action(({ account }: Required<AccountOption>) =>
        changeAccount(account, (useCases) => useCases.get(ChangeAccount).execute(account.trim(), verb)),
      );

  program
    .command('bans')
    .description('list the keys and the addresses that are banned now, the latest ban first')
    .action(() =>
      run(async (useCases) => {
        const bans = await useCases.get(ListBans).execute();
        return bans.map(({ keyId, account, address, ...ban }) => ({
          keyId,
          account,
          address,
          ...banResponse(ban),
        }));
      }, bansText),
    );

  program
    .command('unban')
    .description('lift the ban of a key, or of an address without one')
    .addArgument(BANNED)
    .action((who: LiftBanInput) =>
      run(async (useCases) => {
        const { key, wasBanned } = await useCases.get(LiftBan).execute(who);
        return { ...(key ? shown(key) : who), wasBanned };
      }, liftedBanText),
    );

  return program;
}
