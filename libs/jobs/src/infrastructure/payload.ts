/** The characters of a payload, so that a worker can read all the jobs that it takes at once. */
const LONGEST_PAYLOAD = 65_536;

/**
 * The JSON in which a payload is stored. A bigint is an object in it, as it must be a bigint again.
 * @throws RangeError when it is too long
 */
export function payloadText(payload: unknown): string {
  const text = JSON.stringify(payload, (_, value: unknown) =>
    typeof value === 'bigint' ? { $bigint: String(value) } : value,
  );
  if (text === undefined) return 'null';
  if (text.length <= LONGEST_PAYLOAD) return text;
  throw new RangeError(
    `The payload of a job has ${text.length} characters of JSON; ${LONGEST_PAYLOAD} is the most.`,
  );
}

/** The payload that was stored as this text. */
export function payloadOf(text: string): unknown {
  return JSON.parse(text, (_, value: { $bigint?: unknown } | null) =>
    typeof value?.$bigint === 'string' ? BigInt(value.$bigint) : value,
  );
}
