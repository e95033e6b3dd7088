import { randomBytes } from 'node:crypto';

const MAX_LENGTH = 128;
const LOWEST_VISIBLE = 0x21;
const HIGHEST_VISIBLE = 0x7e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;

// 64 random bits distinguish processes: a collision takes billions of starts.
const processPart = randomBytes(8).toString('hex');
let made = 0;

/** The id that the caller sent, or a new one when it is missing or unsuitable. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && isFit(header) ? header : `${processPart}-${(++made).toString(36)}`;
}

/** Text that fits in a header and a JSON log line without escaping, and is not an API key sent in the wrong header. */
function isFit(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < LOWEST_VISIBLE || code > HIGHEST_VISIBLE) return false;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKSLASH) return false;
  }
  return !text.includes('ask_');
}
