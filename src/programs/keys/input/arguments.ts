import { isIP, isIPv6 } from 'node:net';
import { Argument, type Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { isWellFormedApiKey } from '@animal-store/api-keys';
import { DAY_MS, parseDuration as durationMs } from '@animal-store/kernel';
import { addressSubject } from '@animal-store/rate-limiting';
import { BAD_ARGUMENTS } from '../../run-program.js';
import { KEY_PREFIXES, withoutKeys } from '../../../version.js';
import type { LiftBanInput } from '../../../access/application/usage/lift-ban.use-case.js';
import { keyLabelProblem } from '../../../access/domain/api-key.js';
import { scopes } from '../../../contexts.js';
import { PLAN_NAMES, type PlanLimits, type PlanName, planProblem } from '../../../access/domain/plan.js';

/** The arguments of the command line that need more than a text. */

const KEY_ID = /^key_[0-9A-Za-z_-]{1,64}$/;

/** A century. Nobody needs more, and every resulting date can still be written. */
const MAX_DURATION_MS = 36_525 * DAY_MS;

/** The id of a key. No message repeats what was passed, as people often pass the text of the key instead. */
export const ID = new Argument('<id>', 'the id of the key').argParser(parseId);
export const OPTIONAL_ID = new Argument('[id]', 'the id of the key').argParser(parseId);

function parseId(text: string): string {
  refuseKeyText(text);
  if (!KEY_ID.test(text)) throw badKey('this is not the id of a key. An id looks like key_0123456789abcdef.');
  return text;
}

/** What a command is about: one key, or all of an account. */
export function keyOrAccount(
  id: string | undefined,
  account: string | undefined,
): { readonly id: string } | { readonly account: string } {
  if (id !== undefined && account === undefined) return { id };
  if (account !== undefined && id === undefined) return { account: account.trim() };
  throw badKey('name one key by its id, or an account by --account.');
}

/** Who is banned: a key by its id, or an address as the service counts it. */
export const BANNED = new Argument(
  '<id|address>',
  'the id of a key, or the address of callers without one',
).argParser((text: string): LiftBanInput => {
  refuseKeyText(text);
  const network = text.replace(/\/64$/, '');
  if (isIP(text) || isIPv6(network)) return { address: addressSubject(network) };
  if (text === addressSubject(undefined)) return { address: text };
  if (KEY_ID.test(text)) return { keyId: text };
  throw badKey('this is neither the id of a key nor an address.');
});

/** May be given several times. */
export const SCOPE = new Option(
  '--scope <scope...>',
  'what the key may do, once for each scope (default: all but what a key must name)',
).choices(scopes.map(({ name }) => name));

function refuseKeyText(text: string): void {
  if (withoutKeys(text) === text) return;
  throw badKey(
    'this is the text of a key, which is a secret. Pass its id, such as key_0123456789abcdef; "keys find" reads the text from standard input and shows it.',
  );
}

/** Adds the plan of a key and its limits, which are checked together before the command runs. */
export function addPlan(command: Command): Command {
  const limits = 'required for enterprise, refused for other plans';
  return command
    .addOption(new Option('--plan <plan>', 'the plan of the key').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <n>', `requests per minute; ${limits}`, parseNumber)
    .option('--per-day <n>', `requests per day; ${limits}`, parseNumber)
    .hook('preAction', () => {
      const { plan, ...own } = command.opts<{ plan: PlanName } & Partial<PlanLimits>>();
      const problem = planProblem(plan, own);
      if (problem) command.error(problem);
    });
}

export function parseLabel(text: string): string {
  const problem = keyLabelProblem(text);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

/** The milliseconds of a duration such as `90d` or `24h`. */
export function parseDuration(text: string): number {
  const ms = durationMs(text);
  if (ms !== null && ms <= MAX_DURATION_MS) return ms;
  throw new InvalidArgumentError(
    'It must be a whole number followed by s, m, h or d, such as 24h, and at most a century.',
  );
}

export function parseLifetime(text: string): number {
  const ms = parseDuration(text);
  if (ms === 0) throw new InvalidArgumentError('It must be longer than 0.');
  return ms;
}

/**
 * The text of a key, of whichever environment, as it was read from standard input.
 * @throws CommanderError when it is not one
 */
export function parseKeyText(input: string | null): string {
  const text = input?.trim() ?? '';
  if (text === '') throw badKey('there is no text of a key on standard input.');
  if (Object.values(KEY_PREFIXES).some((prefix) => isWellFormedApiKey(text, prefix))) return text;
  throw badKey('this is not the text of a key, or it is mistyped.');
}

/** Not an InvalidArgumentError, whose message repeats the argument. */
export function badKey(problem: string): CommanderError {
  return new CommanderError(BAD_ARGUMENTS, 'keys.badKey', problem);
}

function parseNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
