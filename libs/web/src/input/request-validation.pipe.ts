import {
  type ArgumentMetadata,
  HttpException,
  Injectable,
  type PipeTransform,
  ValidationPipe,
} from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { InvalidParameter, ValidationFailed } from '../responses/http.errors.js';
import { dtoOf, type DtoType, isDtoType, valueOf, type Values } from './field-rule.js';
import { inputProblem, problemOf, readDto, restoreDigits, withNumbers } from './read-dto.js';
import { SchemaPipe } from './schema.pipe.js';

/** More messages would not help. */
const MAX_PROBLEMS = 20;
/** Less than the OpenAPI document says. Nest's messages have whole names of unknown fields. */
const MAX_CHARACTERS = 4_000;

/**
 * The pipe of every parameter. A DTO whose fields all have a rule of their own (`Field`) is read at once. Every other class
 * is left to Nest's ValidationPipe with `transform`, `whitelist` and `forbidNonWhitelisted`, and a `schema` to Nest's
 * StandardSchemaValidationPipe. A refusal is `validation_failed` for a body and `invalid_parameter` for a query or a path.
 * A text that no database stores is refused in all of them, and in a single parameter.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly ofJson = new SchemaPipe(false);
  private readonly ofText = new SchemaPipe(true);

  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      validatorPackage,
      transformerPackage,
    });
  }

  // Returns a promise only when there is something to wait for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the return type that ValidationPipe declares, without its promise
  override transform(value: unknown, metadata: ArgumentMetadata): any {
    const { type, metatype, data, schema } = metadata;
    if (schema || !isDtoType(metatype) || type === 'custom') return this.withoutRules(value, metadata);
    const dto = dtoOf(metatype);
    if (!dto.isWhole) return this.checked(value, metadata, () => this.validated(value, metadata));
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const problem = data !== undefined && value === undefined ? 'is required' : 'must be a JSON object';
      throw refusal(metadata, [`${data ?? 'the body'} ${problem}`]);
    }
    const problems: string[] = [];
    const read = readDto(dto, value as Values, type === 'body' ? 'json' : 'text', problems);
    if (problems.length > 0) throw refusal(metadata, problems);
    return read;
  }

  /** Nest's own pipe gets the numbers of JavaScript, and only fields with a rule of their own longer ones. */
  private async validated(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    if (metadata.type !== 'body') return super.transform(this.fromText(sent, metadata), metadata);
    const exact = Object.create(this) as RequestValidationPipe;
    exact.validate = (made, options) => {
      restoreDigits(made, sent);
      return this.validate(made, options);
    };
    return ValidationPipe.prototype.transform.call(exact, withNumbers(sent), metadata);
  }

  /** Only fields with a rule of their own know text, so the others stay as they were sent. */
  private fromText(sent: unknown, metadata: ArgumentMetadata): unknown {
    if (typeof sent !== 'object' || metadata.data !== undefined) return sent;
    const { fields, transformed } = dtoOf(metadata.metatype as DtoType);
    const values: Values = { ...sent };
    const problems = [...fields].map(([name, field]) => {
      if (transformed.has(name) || !(name in values)) return null;
      values[name] = valueOf(field.rule, values[name], 'text');
      return problemOf(name, field, values, 'text');
    });
    const found = problems.filter((problem) => problem !== null);
    if (found.length > 0) throw refusal(metadata, found);
    return values;
  }

  /** What a pipe of Nest makes of the value. */
  private async checked(
    value: unknown,
    metadata: ArgumentMetadata,
    pipe: () => Promise<unknown>,
  ): Promise<unknown> {
    const problem = inputProblem(value, metadata.data ?? '');
    if (problem !== null) throw refusal(metadata, [problem]);
    try {
      return await pipe();
    } catch (error) {
      if (!(error instanceof HttpException)) throw error;
      const { message } = error.getResponse() as { message: string | string[] };
      throw refusal(metadata, [message].flat());
    }
  }

  /** A parsed query is shared, so a handler that takes the whole query gets a copy. */
  private withoutRules(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype, data, schema } = metadata;
    if (schema && type !== 'custom') {
      const pipe = type === 'body' ? this.ofJson : this.ofText;
      return this.checked(value, metadata, () => pipe.transform(value, metadata));
    }
    const isChecked = metatype === String || (typeof metatype === 'function' && 'isZodDto' in metatype);
    const problem = isChecked ? inputProblem(value, data ?? '') : scalarProblem(value, metadata);
    if (problem !== null) throw refusal(metadata, [problem]);
    if (data === undefined && type === 'query') return Object.assign(Object.create(null) as object, value);
    return this.transformPrimitive(value, metadata);
  }
}

/**
 * Says that a handler takes any input as it is: `@Body(AsSent) body: unknown`. Without it, the start warns of a parameter
 * that nothing validates.
 */
@Injectable()
export class AsSent implements PipeTransform<unknown, unknown> {
  transform(value: unknown): unknown {
    return value;
  }
}

/** Nest makes NaN and `false` of text that is no number and no boolean, before a pipe of the parameter sees it. */
function scalarProblem(value: unknown, { type, metatype, data }: ArgumentMetadata): string | null {
  if (value === undefined || data === undefined || (type !== 'query' && type !== 'param')) return null;
  if (metatype === Number && (value === '' || Number.isNaN(Number(value)))) return `${data} must be a number`;
  return metatype === Boolean && value !== 'true' && value !== 'false'
    ? `${data} must be true or false`
    : null;
}

function refusal({ type }: ArgumentMetadata, problems: readonly string[]): Error {
  const all = problems.slice(0, MAX_PROBLEMS).join('; ').slice(0, MAX_CHARACTERS).toWellFormed();
  const message = all.endsWith('.') ? all : `${all}.`;
  return type === 'body' ? new ValidationFailed(message) : new InvalidParameter(message);
}
