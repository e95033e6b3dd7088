export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

export function isInt64(value: unknown): value is bigint {
  return typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX;
}

/** A decimal without leading zeros, at most as long as an int64: a sign and 19 digits. */
const INT64_TEXT = /^-?(0|[1-9]\d{0,18})$/;

/** Parses a plain decimal without leading zeros; null when `text` is not an int64. */
export function parseInt64(text: string): bigint | null {
  if (!INT64_TEXT.test(text)) return null;
  const value = BigInt(text);
  return isInt64(value) ? value : null;
}
