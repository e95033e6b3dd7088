import {
  type ArgumentMetadata,
  HttpException,
  Injectable,
  type PipeTransform,
  StandardSchemaValidationPipe,
  ValidationPipe,
} from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { InvalidParameter, ValidationFailed } from '../responses/request.errors.js';
import { dtoOf, isDtoType, longNumber, type Values } from './dto.js';
import { inputProblem, longNumberProblem, losesDigits, readDto } from './read-dto.js';
import { TEXT } from './rules.js';

/** More messages would not help. */
const MAX_PROBLEMS = 20;
/** Less than the OpenAPI document says. Nest's messages have whole names of unknown fields. */
const MAX_CHARACTERS = 4_000;

const OPTIONS = {
  transform: true,
  whitelist: true,
  forbidNonWhitelisted: true,
  validatorPackage,
  transformerPackage,
};

/**
 * The pipe of every parameter: Nest's ValidationPipe with `transform`, `whitelist` and `forbidNonWhitelisted`. A flat
 * class is read here, by the functions that the decorators of class-transformer and class-validator have stored; every
 * other class is left to Nest's pipe, and a `schema` to Nest's StandardSchemaValidationPipe. A refusal is
 * `validation_failed` for a body and `invalid_parameter` for a query or a path.
 *
 * A text that no database stores is refused in all of them, and a number that would lose digits, unless it is an int64.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly ofText = new ValidationPipe({ ...OPTIONS, transformOptions: { groups: [TEXT] } });
  private readonly ofSchema = new StandardSchemaValidationPipe();

  constructor() {
    super(OPTIONS);
  }

  // Returns a promise only when there is something to wait for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a part of the type that ValidationPipe declares
  override transform(value: unknown, metadata: ArgumentMetadata): any {
    const { type, metatype, data, schema } = metadata;
    if (schema || !isDtoType(metatype) || type === 'custom') return this.withoutRules(value, metadata);
    const dto = dtoOf(metatype);
    const isBody = type === 'body';
    if (dto.isFlat) {
      if (typeof value !== 'object' || value === null || Array.isArray(value)) {
        const problem = data !== undefined && value === undefined ? 'is required' : 'must be a JSON object';
        throw refusal(metadata, [`${data ?? 'the body'} ${problem}`]);
      }
      const problems: string[] = [];
      const read = readDto(dto, value as Values, isBody ? 'json' : 'text', problems);
      if (read && problems.length > 0) throw refusal(metadata, problems);
      if (read) return read;
      dto.isFlat = false;
    }
    return this.checked(value, metadata, () =>
      isBody ? super.transform(value, metadata) : this.ofText.transform(value, metadata),
    );
  }

  /** What a pipe of Nest makes of the value. */
  private async checked(
    value: unknown,
    metadata: ArgumentMetadata,
    pipe: () => Promise<unknown>,
  ): Promise<unknown> {
    const { data = '', schema, metatype } = metadata;
    const long = longNumber(value, data, () => (schema ? undefined : metatype));
    const problem = long === null ? inputProblem(value, data) : longNumberProblem(long);
    if (problem !== null) throw refusal(metadata, [problem]);
    try {
      return await pipe();
    } catch (error) {
      if (!(error instanceof HttpException)) throw error;
      const { message } = error.getResponse() as { message: string | string[] };
      throw refusal(metadata, [message].flat());
    }
  }

  /** A parsed query is shared, so a schema or a handler that reads the whole query gets a copy. */
  private withoutRules(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, metatype, data, schema } = metadata;
    const isQuery = data === undefined && type === 'query';
    if (schema && type !== 'custom') {
      const sent: unknown = isQuery ? structuredClone(value) : value;
      return this.checked(value, metadata, () => this.ofSchema.transform(sent, metadata));
    }
    const isChecked = metatype === String || (typeof metatype === 'function' && 'isZodDto' in metatype);
    const problem = isChecked ? inputProblem(value, data ?? '') : scalarProblem(value, metadata);
    if (problem !== null) throw refusal(metadata, [problem]);
    if (isQuery) return Object.assign(Object.create(null) as object, value);
    return this.transformPrimitive(value, metadata);
  }
}

/**
 * Says that a handler accepts any input as it is: `@Body(AsSent) body: unknown`. Without it, the start warns of a
 * parameter that nothing validates.
 */
@Injectable()
export class AsSent implements PipeTransform<unknown, unknown> {
  transform(value: unknown): unknown {
    return value;
  }
}

/** Nest makes NaN and `false` of text that is no number and no boolean, before a pipe of the parameter sees it. */
function scalarProblem(value: unknown, { type, metatype, data }: ArgumentMetadata): string | null {
  if (typeof value === 'bigint' && metatype === Number) return longNumberProblem(data ?? 'the body');
  if (value === undefined || data === undefined || (type !== 'query' && type !== 'param')) return null;
  if (metatype === Number && (value === '' || Number.isNaN(Number(value)))) return `${data} must be a number`;
  if (metatype === Number && losesDigits(value, Number(value))) return longNumberProblem(data);
  return metatype === Boolean && value !== 'true' && value !== 'false'
    ? `${data} must be true or false`
    : null;
}

function refusal({ type }: ArgumentMetadata, problems: readonly string[]): Error {
  const all = problems.slice(0, MAX_PROBLEMS).join('; ').slice(0, MAX_CHARACTERS).toWellFormed();
  const message = all.endsWith('.') ? all : `${all}.`;
  return type === 'body' ? new ValidationFailed(message) : new InvalidParameter(message);
}
