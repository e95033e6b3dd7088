import { randomBytes } from 'node:crypto';

const MAX_LENGTH = 128;
const LOWEST_VISIBLE = 0x21;
const HIGHEST_VISIBLE = 0x7e;
const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKSLASH = 0x5c;

// 64 random bits tell processes apart: two replicas need billions of starts to meet.
const processPart = randomBytes(8).toString('hex');
let made = 0;

/** The id under which the caller asked for the request to be logged, or a new one when that is missing or unfit. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && isFit(header) ? header : `${processPart}-${(++made).toString(36)}`;
}

/** Text that a header and a JSON log line can repeat unescaped, and that is no API key sent in the wrong place. */
function isFit(text: string): boolean {
  if (text.length === 0 || text.length > MAX_LENGTH) return false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < LOWEST_VISIBLE || code > HIGHEST_VISIBLE) return false;
    if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE || code === BACKSLASH) return false;
  }
  return !text.includes('ask_');
}
