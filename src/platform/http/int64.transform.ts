import type { ClassTransformOptions, TransformFnParams } from 'class-transformer';
import { isFractional } from '../../shared/json.js';

/** For class-transformer, where what it is given has its int64s already (src/platform/http/sent-values.ts). */
export const HAS_INT64S: ClassTransformOptions & { readonly hasInt64s: boolean } = { hasInt64s: true };

/** What class-transformer makes of an int64, or of a list of them: whole numbers become bigints, the rest stays. */
export function toInt64({ value, obj, key, options }: TransformFnParams): unknown {
  if ('hasInt64s' in options) return value;
  if (!Array.isArray(value)) return wholeNumber(value, obj as object, key);
  // The list as it was sent: class-transformer hands over a copy.
  const sent = (obj as Record<string, object>)[key]!;
  return value.map((item, index) => wholeNumber(item, sent, String(index)));
}

/** @param key where `holder`, a part of what was sent, has `value` */
export function wholeNumber(value: unknown, holder: object, key: string): unknown {
  return Number.isSafeInteger(value) && !isFractional(holder, key) ? BigInt(value as number) : value;
}
