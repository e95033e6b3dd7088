import { DAY_MS } from '@animal-store/kernel';

/** RFC 9116, section 2.5.5: a date less than a year ahead. It is renewed while the server runs. */
const VALID_DAYS = 180;

/**
 * The text of `/.well-known/security.txt` (RFC 9116): where to report a vulnerability.
 *
 * @param contact a `mailto:` or `https:` URL
 * @param origin where the service is reached; null when it does not know
 */
export function securityTxt(contact: string, origin: string | null, nowMs: number): string {
  const expires = new Date((Math.floor(nowMs / DAY_MS) + VALID_DAYS) * DAY_MS);
  const lines = [
    `Contact: ${contact}`,
    `Expires: ${expires.toISOString()}`,
    'Preferred-Languages: en',
    ...(origin === null ? [] : [`Canonical: ${origin}/.well-known/security.txt`]),
  ];
  return `${lines.join('\n')}\n`;
}
