import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { INT64_MAX, INT64_MIN } from '@animal-store/kernel';

interface Int64Facts {
  minimum?: number | bigint;
  description?: string;
  example?: number | readonly number[];
  readOnly?: boolean;
}

/** The schema of an int64. Its bounds are bigints, as numbers would be rounded in the printed document. */
export function int64Schema({ minimum, ...facts }: Int64Facts = {}) {
  return {
    type: 'integer',
    format: 'int64',
    minimum: minimum ?? INT64_MIN,
    maximum: INT64_MAX,
    ...facts,
  };
}

/** An id in a path, for `@Operation`. */
export function int64Id(description: string): { description: string; schema: object } {
  return { description, schema: int64Schema({ minimum: 1, example: 1 }) };
}

interface Int64FieldFacts extends Int64Facts {
  required?: boolean;
  /** A list of int64s. */
  isArray?: boolean;
  minItems?: number;
  maxItems?: number;
}

/** An int64 field, or a list of int64s, in the OpenAPI document. */
export function ApiInt64({
  required,
  isArray = false,
  minItems,
  maxItems,
  minimum,
  ...facts
}: Int64FieldFacts): PropertyDecorator {
  const field = isArray
    ? { type: 'array', items: int64Schema({ minimum }), minItems, maxItems, ...facts }
    : int64Schema({ minimum, ...facts });
  return ApiProperty({
    ...field,
    ...(required !== undefined && { required }),
  } as unknown as ApiPropertyOptions);
}
