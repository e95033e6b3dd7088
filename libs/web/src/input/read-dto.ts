import { TransformationType } from 'class-transformer';
import type { ValidationArguments } from 'class-validator';
import { type Check, type Dto, type DtoField, longNumber, type Source, type Values } from './dto.js';

/** The number of unknown fields that a message names. Otherwise the response could be longer than the request. */
const MAX_UNKNOWN = 5;
const MAX_NAME_CHARACTERS = 64;

/**
 * Creates a flat DTO from the input, as class-transformer and class-validator would: it calls their decorators' own
 * functions. What is wrong goes to `problems`.
 *
 * @returns null when a constraint turns out to be asynchronous
 */
export function readDto(dto: Dto, sent: Readonly<Values>, source: Source, problems: string[]): object | null {
  const { type, fields, inOrder } = dto;
  const made = new type() as Values;
  let unknown: string[] | null = null;
  for (const name in sent) {
    const field = fields.get(name);
    if (field) made[name] = valueOf(field, sent, source);
    else (unknown ??= []).push(name);
  }
  const args = { targetName: type.name, object: made, property: '', value: undefined, constraints: [] };
  for (const field of inOrder) {
    const problem = problemOf(field, sent, args, source);
    if (problem === ASYNCHRONOUS) return null;
    if (problem !== null) problems.push(problem);
  }
  for (const name of unknown?.slice(0, MAX_UNKNOWN) ?? []) {
    problems.push(unknownProblem(name, source === 'json' ? 'field' : 'parameter', [...fields.keys()]));
  }
  return made;
}

const OPTIONS = {};
const ASYNCHRONOUS = '';

function valueOf({ name, convert, transform }: DtoField, sent: Values, source: Source): unknown {
  let value = convert ? convert(sent[name]) : sent[name];
  for (const transformFn of transform[source])
    value = transformFn({
      value,
      key: name,
      obj: sent,
      type: TransformationType.PLAIN_TO_CLASS,
      options: OPTIONS,
    });
  return value;
}

/** The problem with the value of a field, or null. */
function problemOf(field: DtoField, sent: Values, args: ValidationArguments, source: Source): string | null {
  const { name, conditions, isInt64 } = field;
  const object = args.object as Values;
  const value = object[name];
  if (!isInt64 && source === 'json') {
    const path = longNumber(sent[name], name);
    if (path !== null) return longNumberProblem(path);
  }
  for (const applies of conditions) if (!applies(object, value)) return inputProblem(value, name);
  args.property = name;
  args.value = value;
  const failed = failedOf(field, args);
  if (failed === null && losesDigits(sent[name], value)) return longNumberProblem(name);
  if (failed === null) return isInt64 ? null : inputProblem(value, name);
  return failed === ASYNCHRONOUS ? ASYNCHRONOUS : messageOfAll(failed, field, args, source);
}

/** What to say of the constraints that a value does not meet. */
function messageOfAll(
  failed: readonly Check[],
  { name, conditions, isList }: DtoField,
  args: ValidationArguments,
  source: Source,
): string {
  const { object } = args;
  const value: unknown = args.value;
  const worth = worthSaying(failed, value);
  // A message of the application is as good.
  if (!worth.some(({ metadata }) => metadata.message)) {
    if (value === undefined) return `${name} is required`;
    const isOptional = conditions.some((applies) => !applies(object, undefined));
    if (value === null && isOptional) return `${name} must not be null: leave it out`;
    if (source === 'text' && Array.isArray(value) && !isList) return `${name} must be given once`;
  }
  return [...new Set(worth.map((check) => messageOf(check, args)))].join('; ');
}

const BOUNDS = ['min', 'max'];

/** The failed checks to report: for a value that is no number only that, without the bounds. */
function worthSaying(failed: readonly Check[], value: unknown): readonly Check[] {
  if (typeof value === 'number' && !Number.isNaN(value)) return failed;
  const others = failed.filter(({ metadata }) => !BOUNDS.includes(metadata.name ?? ''));
  return others.length > 0 ? others : failed;
}

/** The constraints that a value does not meet; null when it meets all. */
function failedOf({ checks }: DtoField, args: ValidationArguments): Check[] | typeof ASYNCHRONOUS | null {
  let failed: Check[] | null = null;
  for (const check of checks) {
    const { metadata } = check;
    if (metadata.validateIf && !metadata.validateIf(args.object, args.value)) continue;
    const isMet = isMetBy(check, args);
    if (isMet === ASYNCHRONOUS) return ASYNCHRONOUS;
    if (!isMet) (failed ??= []).push(check);
  }
  return failed;
}

function isMetBy({ metadata, constraint }: Check, args: ValidationArguments): boolean | typeof ASYNCHRONOUS {
  args.constraints = metadata.constraints as unknown[];
  const items = metadata.each ? itemsOf(args.value) : null;
  if (!items) return settled(constraint.validate(args.value, args));
  let isMet: boolean | typeof ASYNCHRONOUS = true;
  for (const item of items) {
    const result = settled(constraint.validate(item, args));
    if (result === ASYNCHRONOUS) return ASYNCHRONOUS;
    isMet &&= result;
  }
  return isMet;
}

function itemsOf(value: unknown): Iterable<unknown> | null {
  const isCollection = Array.isArray(value) || value instanceof Set || value instanceof Map;
  return isCollection ? (value.values() as Iterable<unknown>) : null;
}

function settled(result: boolean | Promise<boolean>): boolean | typeof ASYNCHRONOUS {
  if (typeof (result as Partial<Promise<boolean>> | undefined)?.then !== 'function') return result as boolean;
  // Nest's pipe reads it again, and gets the error.
  Promise.resolve(result).catch(() => undefined);
  return ASYNCHRONOUS;
}

const TOKENS = /\$(?:constraint(\d+)|(value|property|target))/g;

/** The message of a constraint, with what class-validator puts in place of its tokens. */
function messageOf({ metadata, constraint }: Check, args: ValidationArguments): string {
  args.constraints = metadata.constraints as unknown[];
  const message = metadata.message || constraint.defaultMessage?.(args) || '$property is not valid';
  const text = typeof message === 'function' ? message(args) : message;
  const values: Values = { value: args.value, property: args.property, target: args.targetName };
  return text.replace(TOKENS, (token, index: string | undefined, name: string) => {
    if (index !== undefined) return listed(args.constraints[Number(index) - 1]);
    return ['string', 'number', 'boolean'].includes(typeof values[name]) ? String(values[name]) : token;
  });
}

function listed(constraint: unknown): string {
  return Array.isArray(constraint) ? constraint.join(', ') : String(constraint);
}

/** Names that were sent, as messages show them. */
export function namesOf(sent: readonly string[]): string {
  const shown = sent.slice(0, MAX_UNKNOWN).map((name) => JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS)));
  return shown.join(', ');
}

/** The problem with an undeclared field or parameter. */
export function unknownProblem(name: string, what: 'field' | 'parameter', known: readonly string[]): string {
  return `${namesOf([name])} is not a ${what} here (known: ${known.join(', ') || 'none'})`;
}

export function longNumberProblem(path: string): string {
  const largest = Number.MAX_SAFE_INTEGER;
  return `${path} must be a number from -${largest} to ${largest}, as a larger one would lose digits`;
}

/** Whether a number has other digits than its text. */
export function losesDigits(text: unknown, value: unknown): boolean {
  return Number.isInteger(value) && !Number.isSafeInteger(value) && /^\s*[-+]?\d+\s*$/.test(String(text));
}

/** Names with a special meaning in JavaScript, which Nest silently drops. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * The first problem of a value that no rule sees, at any depth: a text that no database stores, or a name that means
 * something in JavaScript. PostgreSQL refuses U+0000. A lone surrogate has no UTF-8, so it would be stored as another
 * character.
 *
 * @param path of the value: empty for a whole body or query
 */
export function inputProblem(value: unknown, path: string): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return `${path || 'a name'} must not contain the character U+0000`;
    return value.isWellFormed()
      ? null
      : `${path || 'a name'} must not contain lone surrogates or malformed UTF-8`;
  }
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, item] of Object.entries(value)) {
    if (FORBIDDEN.includes(name)) return `"${name}" is not a field ${path === '' ? 'here' : `of ${path}`}`;
    const inner = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    const problem = inputProblem(name, path) ?? inputProblem(item, inner);
    if (problem) return problem;
  }
  return null;
}
