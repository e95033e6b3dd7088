import { InvalidIdempotencyKey } from './idempotency.errors.js';

const BARE = /^[\x21-\x7e]{1,255}$/;
const QUOTED = /^"([\x21\x23-\x7e]{1,255})"$/;

/**
 * Parses an Idempotency-Key: 1 to 255 visible ASCII characters, bare or as a quoted string.
 * @throws InvalidIdempotencyKey when it is repeated, empty, too long or has other characters.
 */
export function parseIdempotencyKey(text: string): string {
  const quoted = QUOTED.exec(text);
  if (quoted) return quoted[1]!;
  if (BARE.test(text) && !text.includes('"')) return text;
  throw new InvalidIdempotencyKey();
}
