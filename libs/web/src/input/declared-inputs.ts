import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import type { Route } from '@animal-store/http-errors';
import { type DtoField, type DtoType, dtoOf, isDtoType, isOfSchema } from './dto-fields.js';
import { type HandlerParameter, parametersOf } from '../handler-parameters.js';
import { isNotNull } from './validation.js';

const { BODY, QUERY, PARAM } = RouteParamtypes;
const INPUTS: readonly RouteParamtypes[] = [BODY, QUERY, PARAM];

/**
 * Finds input that nobody would validate, or that would always be refused, once at start: the type of a parameter or a
 * field may exist only for the compiler, for example because its class is imported as a type.
 *
 * @throws Error that names the place and what to do
 */
export function requireRules(routes: readonly Pick<Route, 'controller' | 'handler'>[]): void {
  const checked = new Set<DtoType>();
  for (const { controller, handler } of routes) {
    for (const parameter of parametersOf(controller, handler.name)) {
      // A pipe decides how its parameter is read.
      if (!INPUTS.includes(parameter.kind) || parameter.pipes.length > 0) continue;
      const { kind, type } = parameter;
      if (isDtoType(type)) requireFields(type, checked);
      else requireClass(`${controller.name}.${handler.name}`, parameter);
      if (isDtoType(type) && kind !== BODY) refuseNull(type, kind === QUERY ? 'query' : 'path');
    }
  }
}

function requireClass(handler: string, { kind, data, type }: HandlerParameter): void {
  const name = typeof data === 'string' ? `('${data}')` : '()';
  const parameter = `@${RouteParamtypes[kind].charAt(0)}${RouteParamtypes[kind].slice(1).toLowerCase()}${name} of ${handler}`;
  // Nest makes strings, numbers and booleans of single values.
  if (data !== undefined && type !== Object && type !== BigInt && !isOfSchema(type)) return;
  if (isOfSchema(type)) {
    throw new Error(
      `${parameter} has a class of nestjs-zod, which nothing here validates: pass its pipe, ZodValidationPipe.`,
    );
  }
  throw new Error(
    `${parameter} has no class, so nothing would validate it: declare one, imported without "type", or pass a pipe that reads it, such as IdPipe. AsSent takes it as it is.`,
  );
}

function requireFields(type: DtoType, checked: Set<DtoType>, isNested = false): void {
  if (checked.has(type)) return;
  checked.add(type);
  const { fields, list, isFlat } = dtoOf(type);
  for (const name of Object.keys(new type())) {
    if (!fields.has(name)) {
      throw new Error(
        `${type.name}.${name} has no rule, so every value of it would be refused: add a decorator that says what it may be, such as @TextField(…).`,
      );
    }
  }
  for (const field of list) {
    const problem = problemOf(field) ?? (isNested || !isFlat ? stockProblemOf(field) : null);
    if (problem) throw new Error(`${type.name}.${field.name} ${problem}`);
    if (field.isNested && isDtoType(field.nested)) requireFields(field.nested, checked, true);
  }
}

/** The document would show a null that nobody can send. */
function refuseNull(type: DtoType, place: 'query' | 'path'): void {
  const field = dtoOf(type).list.find(({ conditions }) => conditions.includes(isNotNull));
  if (!field) return;
  throw new Error(
    `${type.name}.${field.name} is nullable, but a ${place} cannot contain null: make it optional instead.`,
  );
}

/** Rules that accept any value of a JSON type. */
const OF_ANY_VALUE = ['isObject', 'isArray', 'isNotEmpty', 'isNotEmptyObject', 'isDefined', 'isString'];
const OF_LISTS = ['arrayMinSize', 'arrayMaxSize', 'arrayNotEmpty', 'arrayUnique', ...OF_ANY_VALUE];

function problemOf({
  declared,
  checks,
  isList,
  isNested,
  isOpen,
  isTransformed,
  nested,
}: DtoField): string | null {
  if (isOpen || isTransformed) return null;
  if (isNested) {
    if (nested === undefined)
      return 'has @ValidateNested() without @Type(() => …), which names the class of the nested object.';
    const rule = isList ? 'IsArray' : 'IsObject';
    const isChecked = checks.some(({ name }) => name === (isList ? 'isArray' : 'isObject'));
    if (declared === Map || declared === Set || isChecked) return null;
    return `has @ValidateNested(), which accepts a missing value and a list: add @${rule}().`;
  }
  if (declared === Array && checks.every((check) => OF_LISTS.includes(check.name) && !check.each)) {
    return 'is a list whose items have no rule: add one with { each: true }, or @ValidateNested() and @Type() of a class.';
  }
  if (declared === Object && checks.every((check) => OF_ANY_VALUE.includes(check.name))) {
    return 'has a type that is known to the compiler only: add a rule that says what it may be, or @Allow().';
  }
  return null;
}

/** class-validator applies a rule for items to a single value, too. */
function stockProblemOf({ declared, checks }: DtoField): string | null {
  const isChecked = declared !== Array || checks.some(({ name }) => name === 'isArray');
  return isChecked ? null : 'is a list, and its rules accept a single value: add @IsArray().';
}
