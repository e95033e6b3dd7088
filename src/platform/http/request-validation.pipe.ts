import { type ArgumentMetadata, Injectable, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import { InvalidInput, messagesOf } from './validation-messages.js';
import { type DtoType, isDtoType } from './dto-shape.js';
import { type FlatReader, flatReader } from './flat-dto.js';
import { InvalidParameter, ValidationFailed } from './http.errors.js';
import { HAS_INT64S } from './int64.transform.js';
import { InputReader, type Source } from './input-reader.js';
import { unstorableTextProblem } from './storable-text.js';

/** More messages would not help. */
const MAX_PROBLEMS = 20;

/**
 * Nest's ValidationPipe for this service, for every parameter whose type is a DTO. class-validator and
 * class-transformer work as documented, with these additions:
 *
 * - Numbers are exact: a field declared `bigint`, or with `@IsInt64()`, gets an int64, and one declared `number` a
 *   number.
 * - In a query a field gets the number, boolean or list that it declares, without `@Type`; `false` is false.
 * - Undeclared fields are refused at every depth, and so is an object where an array is declared.
 * - A text that no database stores is refused, also in a single parameter of type `string`.
 * - Every error names its path. The code is `validation_failed` for a body and `invalid_parameter` otherwise.
 *
 * A flat DTO takes a fast path (src/platform/http/flat-dto.ts).
 */
@Injectable()
export class RequestValidationPipe extends ValidationPipe {
  private readonly readers = {
    json: new WeakMap<DtoType, FlatReader | null>(),
    text: new WeakMap<DtoType, FlatReader | null>(),
  };
  /** The DTOs of cached queries (src/platform/http/query-parser.ts). */
  private readonly cachedDtos = new WeakMap<DtoType, WeakMap<object, object>>();

  constructor() {
    super({
      transform: true,
      transformOptions: HAS_INT64S,
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
    const { type, metatype } = metadata;
    if (!this.toValidate(metadata)) return this.untyped(value, metadata);
    const dto = metatype as DtoType;
    const isFields = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isFields) return this.validated(value, dto, metadata);
    if (type === 'query' && Object.isFrozen(value))
      return this.fromCache(value, dto) ?? this.validated(value, dto, metadata);
    return this.readFlat(value, dto, sourceOf(metadata)) ?? this.validated(value, dto, metadata);
  }

  protected override toValidate(metadata: ArgumentMetadata): boolean {
    return isDtoType(metadata.metatype) && super.toValidate(metadata);
  }

  /**
   * Nest handles parameters without a DTO. A parsed query is shared, so a handler that takes the whole query gets a
   * copy.
   */
  private untyped(value: unknown, metadata: ArgumentMetadata): unknown {
    const { type, data } = metadata;
    if (data !== undefined) {
      if (type === 'query' || type === 'param') requireScalar(value, metadata);
      if (metadata.metatype === String) requireStorable(value, metadata);
      return this.transformPrimitive(value, metadata);
    }
    return type === 'query' ? Object.assign(Object.create(null) as object, value) : value;
  }

  protected readFlat(sent: object, type: DtoType, source: Source): object | null {
    const readers = this.readers[source];
    let read = readers.get(type);
    if (read === undefined) {
      read = flatReader(type, source);
      readers.set(type, read);
    }
    return read && read(sent as Record<string, unknown>);
  }

  /** A new DTO each time, as a handler may modify it. */
  private fromCache(query: object, type: DtoType): object | null {
    let byQuery = this.cachedDtos.get(type);
    if (!byQuery) {
      byQuery = new WeakMap();
      this.cachedDtos.set(type, byQuery);
    }
    let dto = byQuery.get(query);
    if (!dto) {
      const read = this.readFlat(query, type, 'text');
      if (!read) return null;
      dto = read;
      byQuery.set(query, dto);
    }
    return Object.assign(new type(), dto);
  }

  private async validated(value: unknown, type: DtoType, metadata: ArgumentMetadata): Promise<unknown> {
    const { data = '' } = metadata;
    const source = sourceOf(metadata);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject && source === 'json') {
      const isMissing = data !== '' && value === undefined;
      const what = data === '' ? 'the body' : data;
      throw refusal(metadata, [isMissing ? `${what} is required` : `${what} must be a JSON object`]);
    }
    const sent = new InputReader(source);
    const prepared = isObject ? sent.prepare(value, type, data) : value;
    const sentences = new Map<string, string[]>();
    for (const [path, problem] of sent.problems) sentences.set(path, [problem]);
    let dto: unknown;
    try {
      dto = await super.transform(prepared, metadata);
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      for (const [path, found] of messagesOf(error.errors, data, sent.hints)) {
        if (!sentences.has(path)) sentences.set(path, found);
      }
    }
    for (const [path, problem] of sent.unstorable) if (!sentences.has(path)) sentences.set(path, [problem]);
    const problems = [...sentences.values()].flat().concat(sent.unknown);
    if (problems.length > 0) throw refusal(metadata, problems);
    return dto;
  }
}

function sourceOf({ type }: ArgumentMetadata): Source {
  return type === 'body' ? 'json' : 'text';
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

/** @throws InvalidParameter for a text that no database stores */
function requireStorable(value: unknown, metadata: ArgumentMetadata): void {
  const problem = typeof value === 'string' ? unstorableTextProblem(value) : null;
  if (problem) throw refusal(metadata, [`${metadata.data} ${problem}`]);
}

function refusal({ type }: ArgumentMetadata, problems: readonly string[]): Error {
  const message = `${problems.slice(0, MAX_PROBLEMS).join('; ')}.`;
  return type === 'body' ? new ValidationFailed(message) : new InvalidParameter(message);
}
