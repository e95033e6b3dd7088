/**
 * A decimal in text as a whole number of its smallest unit. A minus and leading zeros are read; the length is not
 * bounded.
 *
 * @example
 * ```ts
 * parseDecimal('147.50', 2); // 14750n
 * ```
 * @throws SyntaxError when the text is no plain decimal with exactly so many digits after the point
 */
export function parseDecimal(text: string, places: number): bigint {
  const [, whole, part = ''] = /^(-?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (whole === undefined || part.length !== places) {
    throw new SyntaxError(`Not a decimal with ${places} places.`);
  }
  return BigInt(whole + part);
}

/** The reverse of `parseDecimal`: `formatDecimal(14750n, 2)` is `147.50`. */
export function formatDecimal(units: bigint, places: number): string {
  const sign = units < 0n ? '-' : '';
  const digits = String(units < 0n ? -units : units).padStart(places + 1, '0');
  const point = digits.length - places;
  return sign + digits.slice(0, point) + (places === 0 ? '' : `.${digits.slice(point)}`);
}
