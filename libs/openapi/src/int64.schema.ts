import { INT64_MAX, INT64_MIN } from '@animal-store/kernel';

/** The schema of an int64. Its bounds are bigints, as numbers would be rounded in the printed document. */
export function int64Schema({ minimum, ...facts }: { minimum?: number | bigint; example?: number } = {}) {
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
