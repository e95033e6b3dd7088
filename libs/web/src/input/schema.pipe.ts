import { type ArgumentMetadata, StandardSchemaValidationPipe } from '@nestjs/common';
import { parseInt64 } from '@animal-store/kernel';

type Schema = NonNullable<ArgumentMetadata['schema']>;
type Result = Awaited<ReturnType<Schema['~standard']['validate']>>;

/** An issue of zod, valibot and arktype says what it expected, beside what Standard Schema requires of it. */
type Issue = NonNullable<Result['issues']>[number] & { readonly expected?: unknown };

/**
 * Nest's pipe for a `schema`, with exact int64s. JSON has one type of number, where a schema has two. A schema gets
 * numbers, and bigints where a number would lose digits. Where it says that it expects the other one, it gets that.
 */
export class SchemaPipe extends StandardSchemaValidationPipe {
  constructor(private readonly isText: boolean) {
    super();
  }

  protected override async validate<T>(value: unknown, schema: Schema, options?: Record<string, unknown>) {
    // A parsed query is shared, and a schema may return the object that it gets.
    const sent = this.isText ? structuredClone(value) : value;
    const result = await super.validate<T>(sent, schema, options);
    if (!result.issues) return result;
    const root = { value: structuredClone(value) };
    const converted = result.issues.filter((issue) => this.convert(root, issue));
    return converted.length > 0 ? super.validate<T>(root.value, schema, options) : result;
  }

  /** Converts the value that an issue names, and says whether it did. */
  private convert(root: object, { path = [], expected, message }: Issue): boolean {
    const keys = ['value', ...path.map((segment) => (typeof segment === 'object' ? segment.key : segment))];
    const name = keys.pop()!;
    const parent = keys.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
      root,
    );
    if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return false;
    const values = parent as Record<PropertyKey, unknown>;
    const value = values[name];
    values[name] = /bigint/i.test(typeof expected === 'string' ? expected : message)
      ? this.toBigint(value)
      : toNumber(value);
    return values[name] !== value;
  }

  private toBigint(value: unknown): unknown {
    if (this.isText) return parseInt64(value as string) ?? value;
    return Number.isSafeInteger(value) ? BigInt(value as number) : value;
  }
}

function toNumber(value: unknown): unknown {
  return typeof value === 'bigint' ? Number(value) : value;
}
