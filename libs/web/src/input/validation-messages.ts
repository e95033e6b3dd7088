import type { ValidationError } from 'class-validator';
import { type Dto, type DtoField, dtoOf, isDtoType } from './dto-fields.js';

type Constraints = Readonly<Record<string, string>>;

/**
 * The messages of class-validator's errors, one for each value, which it names by its path.
 *
 * @param root the path of what was validated: empty for a whole body or query
 * @param what the word for a field of it
 */
export function messagesOf(
  errors: readonly ValidationError[],
  root: string,
  what: 'field' | 'parameter',
): string[] {
  return errors.flatMap((error) => {
    const path = pathOf(error, root);
    const own = error.constraints ? [messageOf(error, error.constraints, path, root, what)] : [];
    return [...own, ...messagesOf(error.children ?? [], path, what)];
  });
}

function pathOf({ target, property }: ValidationError, parent: string): string {
  if (Array.isArray(target)) return `${parent}[${property}]`;
  const name = dtoOfTarget(target)?.fields.get(property)?.sentName ?? property;
  return parent === '' ? name : `${parent}.${name}`;
}

function messageOf(
  { target, property, value }: ValidationError,
  constraints: Constraints,
  path: string,
  parent: string,
  what: string,
): string {
  if ('whitelistValidation' in constraints) {
    return unknownProblem(property, what, parent, dtoOfTarget(target)?.list ?? []);
  }
  if (value === undefined && !Array.isArray(target)) return `${path} is required`;
  const field = dtoOfTarget(target)?.fields.get(property);
  const ofNull = field && nullProblem(field, target!, value, path);
  const ofQuotes = field && what === 'field' ? quotesProblem(field, value, path) : null;
  return ofNull ?? ofQuotes ?? worded(firstOf(constraints), property, path);
}

/** The problem with a null in a field that may be left out. */
export function nullProblem(
  { conditions }: DtoField,
  object: object,
  value: unknown,
  path: string,
): string | null {
  const mayBeLeftOut = conditions.some((applies) => !applies(object, undefined));
  return value === null && mayBeLeftOut ? `${path} must not be null: leave it out` : null;
}

/** The problem with a text where JSON has a number, true or false. */
export function quotesProblem(
  { scalar, isTransformed }: DtoField,
  value: unknown,
  path: string,
): string | null {
  const quoted = scalar === null || isTransformed ? null : quotedPath(value, path);
  return (
    quoted && `${quoted} must be ${scalar === 'boolean' ? 'true or false' : 'a JSON number'}, without quotes`
  );
}

function quotedPath(value: unknown, path: string): string | null {
  if (typeof value === 'string') return path;
  const index = Array.isArray(value) ? value.findIndex((item) => typeof item === 'string') : -1;
  return index === -1 ? null : `${path}[${index}]`;
}

function dtoOfTarget(target: object | undefined): Dto | null {
  const type: unknown = target?.constructor;
  return isDtoType(type) ? dtoOf(type) : null;
}

const MAX_NAME_CHARACTERS = 64;

/** The problem with a field that no class declares. */
export function unknownProblem(
  name: string,
  what: string,
  parent: string,
  known: readonly DtoField[],
): string {
  const where = parent === '' ? 'here' : `of ${parent}`;
  const list = known.length === 0 ? '' : ` (known: ${known.map(({ sentName }) => sentName).join(', ')})`;
  return `${JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS))} is not a ${what} ${where}${list}`;
}

/** Rules about the type of a value. When one of them fails, the messages of the other rules are useless. */
const KIND_RULES = ['isString', 'isInt', 'isNumber', 'isInt64', 'isBoolean', 'isArray', 'isObject', 'isDate'];

/** The message that says most, of the messages of broken rules by their names. */
export function firstOf(constraints: Constraints): string {
  const kind = KIND_RULES.find((rule) => rule in constraints);
  return kind === undefined ? Object.values(constraints)[0]! : constraints[kind]!;
}

/** How class-validator begins the message of a rule for items. */
const EACH = 'each value in ';

/** The message of a rule, with the path instead of the property name. */
export function worded(message: string, property: string, path: string): string {
  if (message.includes('nested property ')) return `${path} must be an object`;
  const text = message.endsWith('.') ? message.slice(0, -1) : message;
  for (const start of [`${property} `, `${EACH}${property} `]) {
    if (text.startsWith(start)) return `${start.replace(property, path)}${text.slice(start.length)}`;
  }
  return path === property && text.includes(property) ? text : `${path}: ${text}`;
}
