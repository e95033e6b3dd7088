import {
  type Dto,
  type DtoField,
  dtoOf,
  isDtoType,
  refusalOf,
  type Source,
  valueOf,
  type Values,
} from './field-rule.js';

/** The number of unknown fields that a message names. Otherwise the response could be longer than the request. */
const MAX_UNKNOWN = 5;
const MAX_NAME_CHARACTERS = 64;

/** Creates a whole DTO from the input. What is wrong with it goes to `problems`, one sentence for each field. */
export function readDto(
  { type, fields }: Dto,
  sent: Readonly<Values>,
  source: Source,
  problems: string[],
): object {
  const dto = new type() as Values;
  let unknown: string[] | null = null;
  for (const name in sent) {
    const field = fields.get(name);
    if (field) dto[name] = valueOf(field.rule, sent[name], source);
    else (unknown ??= []).push(name);
  }
  for (const [name, field] of fields) {
    const problem = problemOf(name, field, dto, source);
    if (problem !== null) problems.push(problem);
  }
  for (const name of unknown?.slice(0, MAX_UNKNOWN) ?? []) {
    problems.push(unknownProblem(name, source === 'json' ? 'field' : 'parameter', [...fields.keys()]));
  }
  return dto;
}

/** The problem with the value of a field, or null. */
export function problemOf(
  name: string,
  { rule, conditions }: DtoField,
  dto: Values,
  source: Source,
): string | null {
  const value = dto[name];
  if (source === 'text' && !rule.each && Array.isArray(value)) return `${name} must be given once`;
  const isValidated = conditions.every((applies) => applies(dto, value));
  const isOptional = conditions.some((applies) => !applies(dto, undefined));
  const refusal =
    isValidated && refusalOf(isOptional ? { ...rule, optional: true } : rule, value, name, source);
  return refusal || inputProblem(value, name);
}

/** The problem with a field or a parameter that nobody declares. */
export function unknownProblem(name: string, what: 'field' | 'parameter', known: readonly string[]): string {
  const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
  return `${shown} is not a ${what} here (known: ${known.join(', ') || 'none'})`;
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
    return value.isWellFormed() ? null : `${path || 'a name'} must not contain lone surrogates`;
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

/** A copy with the numbers that JSON.parse makes of long ones. */
export function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withNumbers);
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withNumbers(item)]));
}

/** Gives numbers with a rule of their own the digits that were sent, at every depth of what class-transformer has made. */
export function restoreDigits(made: unknown, sent: unknown): void {
  if (typeof made !== 'object' || made === null || typeof sent !== 'object' || sent === null) return;
  const fields = isDtoType(made.constructor) ? dtoOf(made.constructor).fields : null;
  const values = made as Values;
  for (const [name, exact] of Object.entries(sent)) {
    if (fields?.get(name)?.rule.isNumber) values[name] = restored(values[name], exact);
    else restoreDigits(values[name], exact);
  }
}

/** What a decorator of class-transformer has changed stays. */
function restored(made: unknown, sent: unknown): unknown {
  if (Array.isArray(made) && Array.isArray(sent))
    return made.map((item, index) => restored(item, sent[index]));
  return typeof sent === 'bigint' && made === Number(sent) ? sent : made;
}
