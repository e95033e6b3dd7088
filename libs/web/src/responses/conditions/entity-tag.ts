import { hash, webcrypto } from 'node:crypto';

/** Shorter ones are hashed before another thread would have begun. */
const AT_ONCE_BYTES = 65_536;

/**
 * The strong entity tag of bytes: equal bytes have equal tags (RFC 9110, section 8.8.3). Store it beside them when they
 * arrive, as reading them again takes longer than most responses do. Many bytes are hashed by another thread.
 */
export async function entityTag(bytes: Buffer): Promise<string> {
  if (bytes.length <= AT_ONCE_BYTES) return quoted(hash('sha1', bytes, 'base64url'));
  return quoted(Buffer.from(await webcrypto.subtle.digest('SHA-1', bytes)).toString('base64url'));
}

export function entityTagOfText(text: string): string {
  return quoted(hash('sha1', text, 'base64url'));
}

function quoted(digest: string): string {
  return `"${digest}"`;
}
