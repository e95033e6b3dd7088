import { BadRequestException, createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { Request } from 'express';
import { declaredFields, violations } from './validation.js';

/** How many different query strings a route remembers the meaning of. */
const REMEMBERED = 1_000;
/** A longer one has a cursor in it, which seldom comes twice. */
const MEMORABLE_CHARACTERS = 28;
const READER = Symbol('query parameter reader');
const PROPERTY_NAMES = 'swagger/apiModelPropertiesArray';
const PROPERTY = 'swagger/apiModelProperties';

type Reader = (text: string) => unknown;

/**
 * How the text of a parameter becomes its value; without this it stays text. What `read` can make nothing of, it turns
 * into a value that breaks the parameter's rule.
 */
export function ReadWith(read: Reader): PropertyDecorator {
  return (target, property) => Reflect.defineMetadata(READER, read, target, property);
}

/**
 * The query string as a valid, frozen instance of `type`, and its parameters in the OpenAPI document. What a short query
 * string means is worked out once: equal ones give the same instance.
 */
export function QueryParameters(type: Type<object>): ParameterDecorator {
  const remembered = new Map<string, object>();
  const readQuery = createParamDecorator((_: unknown, context: ExecutionContext) => {
    const { url } = context.getArgByIndex<Request>(0);
    const start = url.indexOf('?');
    const query = start === -1 ? '' : url.slice(start + 1);
    let parameters = remembered.get(query);
    if (!parameters) {
      parameters = Object.freeze(validQuery(type, query));
      if (query.length > MEMORABLE_CHARACTERS) return parameters;
      if (remembered.size >= REMEMBERED) remembered.clear();
      remembered.set(query, parameters);
    }
    return parameters;
  });
  return (target, method, index) => {
    readQuery()(target, method, index);
    document(type, target, method!);
  };
}

/**
 * Unknown parameters are ignored; a known one may be given once.
 * @throws BadRequestException `invalid_parameter`, naming the parameter and its rule.
 */
function validQuery<Query extends object>(type: Type<Query>, query: string): Query {
  const given = new URLSearchParams(query);
  const parameters = new type();
  for (const [name, read] of readersOf(type)) {
    const values = given.getAll(name);
    if (values.length > 1) throw invalidParameter([`${name} must be given once`]);
    if (values.length === 1) (parameters as Record<string, unknown>)[name] = read(values[0]!);
  }
  const problems = violations(parameters);
  if (problems.length > 0) throw invalidParameter(problems);
  return parameters;
}

const readersByType = new Map<Type<object>, ReadonlyMap<string, Reader>>();

function readersOf(type: Type<object>): ReadonlyMap<string, Reader> {
  let readers = readersByType.get(type);
  if (!readers) {
    const readerOf = (name: string) =>
      (Reflect.getMetadata(READER, type.prototype as object, name) as Reader | undefined) ?? asIs;
    readers = new Map([...declaredFields(type)].map((name) => [name, readerOf(name)]));
    readersByType.set(type, readers);
  }
  return readers;
}

function asIs(text: string): string {
  return text;
}

function invalidParameter(problems: string[]): BadRequestException {
  return new BadRequestException({ code: 'invalid_parameter', message: `${problems.join('; ')}.` });
}

interface PropertyFacts {
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly isArray?: boolean;
}

/** @nestjs/swagger reads `@Query()` only; this hands it the same facts from the class's `@ApiProperty`s. */
function document(type: Type<object>, target: object, method: string | symbol): void {
  const descriptor = Object.getOwnPropertyDescriptor(target, method)!;
  const prototype = type.prototype as object;
  const names = (Reflect.getMetadata(PROPERTY_NAMES, prototype) ?? []) as string[];
  for (const marked of names) {
    const name = marked.replace(/^:/, '');
    const { required, description, example, isArray, ...schema } = Reflect.getMetadata(
      PROPERTY,
      prototype,
      name,
    ) as PropertyFacts;
    const facts = 'enumName' in schema ? schema : { schema };
    ApiQuery({ name, required, description, example, isArray, ...facts })(target, method, descriptor);
  }
}
