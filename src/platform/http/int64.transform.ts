import type { ClassTransformOptions, TransformFnParams } from 'class-transformer';
import { isFractional } from '@animal-store/kernel';

/**
 * An option for class-transformer when the int64s of its input are already converted
 * (src/platform/http/input-reader.ts).
 */
export const HAS_INT64S: ClassTransformOptions & { readonly hasInt64s: boolean } = { hasInt64s: true };

/** Transforms an int64, or a list of them: whole numbers become bigints, and other values stay unchanged. */
export function toInt64({ value, obj, key, options }: TransformFnParams): unknown {
  if ('hasInt64s' in options) return value;
  if (!Array.isArray(value)) return wholeNumber(value, obj as object, key);
  // The original list, as class-transformer passes a copy.
  const sent = (obj as Record<string, object>)[key]!;
  return value.map((item, index) => wholeNumber(item, sent, String(index)));
}

/** @param key the key of `value` in `holder`, which is a part of the input */
export function wholeNumber(value: unknown, holder: object, key: string): unknown {
  return Number.isSafeInteger(value) && !isFractional(holder, key) ? BigInt(value as number) : value;
}
