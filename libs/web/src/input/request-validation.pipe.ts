import { type ArgumentMetadata, Injectable, type PipeTransform, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { type Dto, type DtoType, dtoOf, isDtoType, isOfSchema } from './dto-fields.js';
import { InvalidParameter, ValidationFailed } from '../responses/http.errors.js';
import { declaredFields, inputProblem, readDto, textProblemOf } from './read-dto.js';
import { messagesOf } from './validation-messages.js';

/** More messages would not help. */
const MAX_PROBLEMS = 20;

type Fields = Record<string, unknown>;

/** The errors of class-validator, before they are turned into messages. */
class InvalidInput extends Error {
  constructor(readonly errors: readonly validatorPackage.ValidationError[]) {
    super('The input is invalid.');
  }
}

/**
 * Nest's ValidationPipe for this service. A DTO with scalars and lists of them is read and validated at once; any other
 * is left to class-transformer and class-validator, as Nest documents it. For both:
 *
 * - Undeclared fields are refused, at every depth.
 * - A field declared `bigint`, or with `@IsInt64()`, gets an exact int64.
 * - In a query a field gets the number, boolean or list that it declares, without `@Type`; `false` is false.
 * - A text that no database stores is refused, also in a single parameter of type `string`.
 * - Every problem names its path.
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: true,
      validationError: { target: true, value: true },
      validatorPackage,
      transformerPackage,
      exceptionFactory: (errors) => new InvalidInput(errors),
    });
  }

  // Returns a promise only when there is something to wait for.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the return type that ValidationPipe declares, without its promise
  override transform(value: unknown, metadata: ArgumentMetadata): any {
    const { type, metatype, data = '' } = metadata;
    if (!this.toValidate(metadata)) return this.untyped(value, metadata);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      const isMissing = data !== '' && value === undefined;
      const what = data === '' ? 'the body' : data;
      throw refusal(metadata, [isMissing ? `${what} is required` : `${what} must be a JSON object`]);
    }
    const dto = dtoOf(metatype as DtoType);
    if (!dto.isFlat || data !== '') return this.validated(value as Fields, dto, metadata);
    const problems: string[] = [];
    const read = readDto(dto, value as Fields, type === 'body' ? 'json' : 'text', problems);
    if (problems.length > 0) throw refusal(metadata, problems);
    return read;
  }

  protected override toValidate({ type, metatype }: ArgumentMetadata): boolean {
    return type !== 'custom' && isDtoType(metatype);
  }

  private async validated(sent: Fields, dto: Dto, metadata: ArgumentMetadata): Promise<unknown> {
    const { type, data = '' } = metadata;
    const isJson = type === 'body';
    const value = declaredFields(dto, sent, isJson ? 'json' : 'text');
    const ofTexts = isJson ? [] : dto.list.map((field) => textProblemOf(field, value[field.name]));
    const problems = [inputProblem(sent, data), ...ofTexts].filter((problem) => problem !== null);
    if (problems.length > 0) throw refusal(metadata, problems);
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      throw refusal(metadata, messagesOf(error.errors, data, isJson ? 'field' : 'parameter'));
    }
  }

  /**
   * Nest handles parameters without a DTO. A parsed query is shared, so a handler that takes the whole query gets a
   * copy.
   */
  private untyped(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, data, metatype } = metadata;
    const ofSchema = isOfSchema(metatype) ? inputProblem(value, data ?? '') : null;
    if (ofSchema) throw refusal(metadata, [ofSchema]);
    if (data === undefined)
      return type === 'query' ? Object.assign(Object.create(null) as object, value) : value;
    if (type === 'query' || type === 'param') requireScalar(value, metadata);
    const problem = metatype === String && typeof value === 'string' ? inputProblem(value, data) : null;
    if (problem) throw refusal(metadata, [problem]);
    return this.transformPrimitive(value, metadata);
  }
}

/**
 * Says that a handler takes any input as it is: `@Body(AsSent) body: unknown`. Without it, a parameter whose type cannot
 * be validated makes the start fail.
 */
@Injectable()
export class AsSent implements PipeTransform<unknown, unknown> {
  transform(value: unknown): unknown {
    return value;
  }
}

/**
 * Nest makes NaN and `false` of text that is no number and no boolean, before a pipe of the parameter sees it.
 * @throws InvalidParameter
 */
function requireScalar(value: unknown, metadata: ArgumentMetadata): void {
  const { metatype, data } = metadata;
  if (value === undefined) return;
  if (metatype === Number && (value === '' || Number.isNaN(Number(value)))) {
    throw refusal(metadata, [`${data} must be a number`]);
  }
  if (metatype === Boolean && value !== 'true' && value !== 'false') {
    throw refusal(metadata, [`${data} must be true or false`]);
  }
}

function refusal({ type }: ArgumentMetadata, problems: readonly string[]): Error {
  const message = `${problems.slice(0, MAX_PROBLEMS).join('; ')}.`;
  return type === 'body' ? new ValidationFailed(message) : new InvalidParameter(message);
}
