import type { ValidationError } from 'class-validator';
import { type DtoType, isDtoType, shapeOf } from './dto-shape.js';

/** The errors of class-validator, before they are turned into messages. */
export class InvalidInput extends Error {
  constructor(readonly errors: readonly ValidationError[]) {
    super('The input is invalid.');
  }
}

/**
 * One message per invalid value. It names the value by its path.
 *
 * @param root the path of what was validated: empty for a whole body
 * @param hints better messages, by path
 */
export function messagesOf(
  errors: readonly ValidationError[],
  root: string,
  hints: ReadonlyMap<string, string>,
): Map<string, string[]> {
  const sentences = new Map<string, string[]>();
  const visit = (error: ValidationError, parent: string) => {
    const path = pathOf(error, parent);
    const own = ownMessages(error, path, hints);
    if (own.length > 0) sentences.set(path, own);
    for (const child of error.children ?? []) visit(child, path);
  };
  for (const error of errors) visit(error, root);
  return sentences;
}

function pathOf({ target, property }: ValidationError, parent: string): string {
  if (Array.isArray(target) || target instanceof Set) return `${parent}[${property}]`;
  const name = sentName(target, property);
  return parent === '' ? name : `${parent}.${name}`;
}

function sentName(target: object | undefined, property: string): string {
  const type = target?.constructor as DtoType | undefined;
  if (!isDtoType(type)) return property;
  for (const field of shapeOf(type).fields.values()) if (field.property === property) return field.name;
  return property;
}

function ownMessages(
  { constraints, target, property, value }: ValidationError,
  path: string,
  hints: ReadonlyMap<string, string>,
): string[] {
  if (!constraints) return [];
  const better = [...hints].filter(([hinted]) => hinted === path || hinted.startsWith(`${path}[`));
  if (better.length > 0) return better.map(([, hint]) => hint);
  if (value === undefined && !Array.isArray(target)) return [`${path} is required`];
  const message = firstOf(constraints);
  if (value === null && message.startsWith(EACH)) return [`${path} must be an array`];
  return [worded(message, property, path)];
}

/** Rules about the type of a value. When one of them fails, the messages of the other rules are useless. */
const KIND_RULES = ['isString', 'isInt', 'isNumber', 'isInt64', 'isBoolean', 'isArray', 'isObject', 'isDate'];

function firstOf(constraints: Readonly<Record<string, string>>): string {
  const kind = KIND_RULES.find((rule) => rule in constraints);
  return kind === undefined ? Object.values(constraints)[0]! : constraints[kind]!;
}

/** How class-validator begins the message of a rule for items. */
const EACH = 'each value in ';

/** The message of a rule, with the path instead of the property name. */
function worded(message: string, property: string, path: string): string {
  if (message.includes('nested property ')) return `${path} must be an object`;
  const text = message.endsWith('.') ? message.slice(0, -1) : message;
  for (const start of [`${property} `, `${EACH}${property} `]) {
    if (text.startsWith(start)) return `${start.replace(property, path)}${text.slice(start.length)}`;
  }
  return path === property && text.includes(property) ? text : `${path}: ${text}`;
}
