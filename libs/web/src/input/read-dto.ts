import type { ValidationArguments } from 'class-validator';
import { parseInt64 } from '@animal-store/kernel';
import { type Check, type Dto, type DtoField, dtoOf, isDtoType, type Scalar } from './dto-fields.js';
import { firstOf, nullProblem, quotesProblem, unknownProblem, worded } from './validation-messages.js';

/** JSON has types; a query string and a path have only text. */
export type Source = 'json' | 'text';

type Fields = Record<string, unknown>;

/** The number of unknown fields that a message names. Otherwise the response could be longer than the request. */
const MAX_UNKNOWN = 5;

/**
 * Creates a flat DTO from the input, and says what is wrong with it: the problems go to `problems`, one for each field.
 * It has the result of class-transformer and class-validator.
 */
export function readDto(
  { type, fields, list }: Dto,
  sent: Readonly<Fields>,
  source: Source,
  problems: string[],
): object {
  const dto = new type() as Fields;
  let unknown: string[] | null = null;
  for (const name in sent) {
    const field = fields.get(name);
    if (field) dto[name] = declaredValue(sent[name], field, source);
    else (unknown ??= []).push(name);
  }
  // One object for all rules, as they are checked for each request.
  const facts = { targetName: type.name, property: '', object: dto, value: undefined, constraints: NONE };
  for (const field of list) {
    const problem = problemOf(field, facts, source);
    if (problem !== null) problems.push(problem);
  }
  for (const name of unknown?.slice(0, MAX_UNKNOWN) ?? []) {
    problems.push(unknownProblem(name, source === 'json' ? 'field' : 'parameter', '', list));
  }
  return dto;
}

/** The fields of a DTO that is not flat, as they declare them, for class-transformer. */
export function declaredFields(dto: Dto | null, sent: Readonly<Fields>, source: Source): Fields {
  const values: Fields = {};
  for (const [name, value] of Object.entries(sent)) {
    values[name] = declaredValue(value, dto?.fields.get(name), source);
  }
  return values;
}

/** The value as its field declares it, when it can be that; otherwise the value as it was sent. */
function declaredValue(value: unknown, field: DtoField | undefined, source: Source): unknown {
  if (source === 'json') return fromJson(value, field);
  if (!field || field.isTransformed) return value;
  if (Array.isArray(value)) return value.map((item: string) => fromText(field.scalar, item));
  const read = fromText(field.scalar, value as string);
  return field.isList ? [read] : read;
}

/** A bigint of the parser becomes the number that JSON.parse would have returned, unless its field takes bigints. */
function fromJson(value: unknown, field: DtoField | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => fromJson(item, field));
  if (typeof value === 'number') {
    return field?.scalar === 'int64' && Number.isSafeInteger(value) ? BigInt(value) : value;
  }
  if (field?.takesBigints) return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  return declaredFields(isDtoType(field?.nested) ? dtoOf(field.nested) : null, value as Fields, 'json');
}

/** What is wrong with a text before any rule sees it. */
export function textProblemOf(
  { name, isList, isTransformed, scalar }: DtoField,
  value: unknown,
): string | null {
  if (isList || isTransformed) return null;
  if (Array.isArray(value)) return `${name} must be given once`;
  return scalar === 'boolean' && typeof value === 'string' ? `${name} must be true or false` : null;
}

/** Only plain decimals. Other texts that JavaScript accepts as numbers are probably mistakes. */
const INTEGER = /^-?(0|[1-9]\d*)$/;
const DECIMAL = /^-?(0|[1-9]\d*)(\.\d+)?$/;

function fromText(scalar: Scalar | null, text: string): unknown {
  if (scalar === 'int64') return parseInt64(text) ?? text;
  if (scalar === 'integer') return INTEGER.test(text) ? Number(text) : text;
  if (scalar === 'number') return DECIMAL.test(text) ? Number(text) : text;
  if (scalar === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

const NONE: unknown[] = [];

/** The problem with a field, or null. */
function problemOf(field: DtoField, facts: ValidationArguments, source: Source): string | null {
  const { name, conditions, checks, isList } = field;
  const dto = facts.object as Fields;
  const value = dto[name];
  const ofText = source === 'text' ? textProblemOf(field, value) : null;
  if (ofText !== null) return ofText;
  for (const applies of conditions) if (!applies(dto, value)) return inputProblem(value, name);
  if (isList && value !== undefined && !Array.isArray(value)) {
    return nullProblem(field, dto, value, name) ?? `${name} must be an array`;
  }
  facts.property = name;
  facts.value = value;
  for (const check of checks) if (!passes(check, facts)) return worstProblem(field, facts, source);
  return inputProblem(value, name);
}

function passes({ each, validate, constraints }: Check, facts: ValidationArguments): boolean {
  const value = facts.value as unknown;
  facts.constraints = constraints;
  if (!each || !Array.isArray(value)) return validate(value, facts) === true;
  return value.every((item) => validate(item, facts) === true);
}

/** What a field whose value breaks a rule is refused with. */
function worstProblem(field: DtoField, facts: ValidationArguments, source: Source): string {
  const { name, checks } = field;
  const value = facts.value as unknown;
  if (value === undefined) return `${name} is required`;
  const ofNull = nullProblem(field, facts.object, value, name);
  if (ofNull !== null) return ofNull;
  const ofQuotes = source === 'json' ? quotesProblem(field, value, name) : null;
  if (ofQuotes !== null) return ofQuotes;
  const messages: Record<string, string> = {};
  for (const check of checks) if (!passes(check, facts)) messages[check.name] = check.message(facts);
  return worded(firstOf(messages), name, name);
}

/** Names with a special meaning in JavaScript, which class-transformer silently drops. */
const FORBIDDEN = ['__proto__', 'constructor'];

/**
 * The first problem of a value that no rule sees, at any depth: a text that no database stores, or a name that means
 * something in JavaScript. Null for every other value.
 *
 * @param path of the value: empty for a whole body or query
 */
export function inputProblem(value: unknown, path: string): string | null {
  if (typeof value === 'string') {
    const problem = textProblem(value);
    return problem && `${path} ${problem}`;
  }
  if (typeof value !== 'object' || value === null) return null;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    if (FORBIDDEN.includes(name)) return `"${name}" is not a field ${path === '' ? 'here' : `of ${path}`}`;
    const ofName = isList ? null : textProblem(name);
    if (ofName) return `${path || 'a name'} ${ofName}`;
    const problem = inputProblem(item, isList ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`);
    if (problem) return problem;
  }
  return null;
}

/**
 * The problem with a text that a database cannot store, phrased to follow the name of its field; null for every other
 * text. PostgreSQL refuses U+0000. A lone surrogate has no UTF-8, so it would be stored as another character.
 */
function textProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? null : 'must not contain lone surrogates';
}
