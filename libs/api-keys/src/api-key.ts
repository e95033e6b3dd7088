import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
/** 62^32 is above 190 bits: beyond guessing, at any request rate. */
const SECRET_LENGTH = 32;
/** 62^6 is the first power of 62 above 2^32. */
const CHECKSUM_LENGTH = 6;

/**
 * A new API key: the prefix, 32 random base62 characters and 6 base62 characters of CRC-32 over all of these. The
 * checksum lets a service refuse mistyped keys, and a secret scanner recognise leaked ones, without a look-up.
 *
 * @param prefix what the service's keys start with, in ASCII, e.g. `acme_live_`
 * @example
 * const text = generateApiKey('acme_live_');
 * await keys.insert({ hash: hashApiKey(text), plan: 'free' });
 */
export function generateApiKey(prefix: string): string {
  let text = prefix;
  // randomInt draws from the system's random source and rejects what would favour some characters over others.
  for (let i = 0; i < SECRET_LENGTH; i++) text += BASE62[randomInt(BASE62.length)];
  return text + checksumOf(text);
}

/**
 * Whether `text` has the form `generateApiKey(prefix)` gives: prefix, length, alphabet and checksum. Says nothing
 * about whether the key exists.
 *
 * @example
 * isWellFormedApiKey('acme_live_mistyped', 'acme_live_'); // false
 */
export function isWellFormedApiKey(text: string, prefix: string): boolean {
  const checksumAt = prefix.length + SECRET_LENGTH;
  if (text.length !== checksumAt + CHECKSUM_LENGTH || !text.startsWith(prefix)) return false;
  return (
    /^[0-9A-Za-z]+$/.test(text.slice(prefix.length)) && text.endsWith(checksumOf(text.slice(0, checksumAt)))
  );
}

/**
 * What replaces the keys in a text, whole or in part, by their prefixes, so that it can be logged or shown.
 *
 * @param prefixes those of the service's keys
 * @example
 * const withoutKeys = keyRemover(['acme_live_', 'acme_test_']);
 * logger.error(withoutKeys(error.message)); // No user acme_live_[redacted].
 */
export function keyRemover(prefixes: readonly string[]): (text: string) => string {
  const keys = new RegExp(`(${prefixes.join('|')})[${BASE62}]+`, 'gi');
  return (text) => text.replaceAll(keys, '$1[redacted]');
}

/**
 * The SHA-256 of a key in hexadecimal: what a service stores in the key's place. A slow hash would gain nothing, as
 * a key has more than 190 random bits.
 */
export function hashApiKey(text: string): string {
  return hash('sha256', text);
}

function checksumOf(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    digits = BASE62[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}
