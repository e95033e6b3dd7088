/** The characters of a payload, so that a worker can read all the jobs that it claims at once. */
const MAX_PAYLOAD = 65_536;

/** The only field of the object that is stored for a bigint. A name that looks like it has one `$` more when stored. */
const BIGINT = '$bigint';
const IS_LIKE_BIGINT = /^\$+bigint$/;

/**
 * The JSON in which a payload is stored: all that JSON has, and bigints, come back equal.
 * @throws TypeError for a value that would come back as another one, such as a Date or NaN, and RangeError when it is
 * too long
 */
export function payloadText(payload: unknown): string {
  const text = hasOnlyTexts(payload) ? JSON.stringify(payload) : JSON.stringify(payload ?? null, stored);
  if (text.length <= MAX_PAYLOAD) return text;
  throw new RangeError(
    `The payload of a job has ${text.length} characters of JSON; ${MAX_PAYLOAD} is the most.`,
  );
}

/** For JSON.stringify. */
function stored(this: unknown, name: string): unknown {
  // Not the second argument of a replacer, which is already text for a value with a `toJSON`, such as a Date.
  const value = (this as Record<string, unknown>)[name];
  if (typeof value === 'bigint') return { [BIGINT]: String(value) };
  requireJson(name, value, this);
  return renamed(value, (field) => `$${field}`);
}

function requireJson(name: string, value: unknown, holder: unknown): void {
  // A field that is undefined is left out.
  if (value === undefined && !Array.isArray(holder)) return;
  if (value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value))
    return;
  const kind = Object.prototype.toString.call(value);
  if ((kind === '[object Object]' && !('toJSON' in (value as object))) || Array.isArray(value)) return;
  throw new TypeError(`The payload of a job has ${kind} as "${name}", which JSON does not have.`);
}

/** The value; when it has fields with names like that of a bigint, a copy with other names. */
function renamed(value: unknown, rename: (field: string) => string): unknown {
  if (typeof value !== 'object' || value === null || !Object.keys(value).some(isBigintLike)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, inner]) => [isBigintLike(field) ? rename(field) : field, inner]),
  );
}

function isBigintLike(field: string): boolean {
  return IS_LIKE_BIGINT.test(field);
}

/** Without a function for each value, JSON is written at half the cost. */
function hasOnlyTexts(payload: unknown): boolean {
  if (typeof payload !== 'object' || payload === null || 'toJSON' in payload || Array.isArray(payload))
    return false;
  for (const [field, value] of Object.entries(payload))
    if ((typeof value !== 'string' && !Number.isFinite(value)) || field.startsWith('$')) return false;
  return Object.prototype.toString.call(payload) === '[object Object]';
}

/** The payload that was stored as this text. */
export function payloadOf(text: string): unknown {
  return JSON.parse(text, (_, value: unknown) => {
    const bigint = (value as { [BIGINT]?: unknown } | null)?.[BIGINT];
    if (typeof bigint === 'string') return BigInt(bigint);
    return renamed(value, (field) => field.slice(1));
  });
}
