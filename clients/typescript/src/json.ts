/** A string with what follows it: a colon makes it the name of a field, and a plain integer after that is captured. */
const FIELD_OR_STRING = /("(?:[^"\\]|\\.)*")(?:\s*:\s*(-?(?:0|[1-9]\d*))(?![\d.eE]))?/g;

/**
 * Parses JSON with the integers of the fields in `int64Fields` as bigints; `JSON.parse` alone would round them beyond 2⁵³.
 *
 * @throws SyntaxError when the text is no JSON
 */
export function parseExact(text: string, int64Fields: ReadonlySet<string>): unknown {
  // Quoted, an integer comes through JSON.parse digit by digit.
  const quoted = text.replace(FIELD_OR_STRING, (match, name: string, digits: string | undefined) =>
    digits !== undefined && int64Fields.has(JSON.parse(name) as string) ? `${name}:"${digits}"` : match,
  );
  return JSON.parse(quoted, (name, value: unknown) =>
    typeof value === 'string' && int64Fields.has(name) ? BigInt(value) : value,
  );
}

/** JSON text of `value`, with a bigint as the plain number it is; `JSON.stringify` alone refuses one. */
export function stringifyExact(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(stringifyExact).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${stringifyExact(field)}`).join(',')}}`;
  }
  return JSON.stringify(value ?? null);
}
