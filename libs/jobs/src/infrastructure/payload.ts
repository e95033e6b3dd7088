/** The characters of a payload, so that a worker can read all the jobs that it takes at once. */
const LONGEST_PAYLOAD = 65_536;

/**
 * The JSON in which a payload is stored. A bigint is an object in it, as it must be a bigint again.
 * @throws RangeError when it is too long
 */
export function payloadText(payload: unknown): string {
  const text = hasOnlyTexts(payload) ? JSON.stringify(payload) : JSON.stringify(payload, withBigints);
  if (text === undefined) return 'null';
  if (text.length <= LONGEST_PAYLOAD) return text;
  throw new RangeError(
    `The payload of a job has ${text.length} characters of JSON; ${LONGEST_PAYLOAD} is the most.`,
  );
}

function withBigints(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? { $bigint: String(value) } : value;
}

/** Without a function for each value, JSON is written at half the cost. */
function hasOnlyTexts(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null) return false;
  for (const value of Object.values(payload))
    if (typeof value !== 'string' && typeof value !== 'number') return false;
  return true;
}

/** The payload that was stored as this text. */
export function payloadOf(text: string): unknown {
  return JSON.parse(text, (_, value: { $bigint?: unknown } | null) =>
    typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value,
  );
}
