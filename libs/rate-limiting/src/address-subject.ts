import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';

/** What a provider hands a household; who limits single IPv6 addresses limits nobody. */
const IPV6_PREFIX_LENGTH = 64;

/**
 * Who counts as one caller when only the address is known: an IPv4 address as it is, also when it comes mapped into
 * IPv6 (RFC 4291 section 2.5.5.2), an IPv6 address by its /64. All that is no address, e.g. from a proxy that writes
 * ports into X-Forwarded-For, is one caller: nobody gets a new limit by inventing text.
 *
 * @example
 * ```ts
 * addressSubject('203.0.113.7'); // '203.0.113.7'
 * addressSubject('::ffff:203.0.113.7'); // '203.0.113.7'
 * addressSubject('2001:db8:1:2:3:4:5:6'); // '2001:db8:1:2::/64'
 * ```
 */
export function addressSubject(ip: string | undefined): string {
  if (ip === undefined) return 'unknown';
  if (ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4) return ip.slice(7);
  switch (isIP(ip)) {
    case 4:
      return ip;
    case 6:
      return normalizeIp(ip, IPV6_PREFIX_LENGTH);
    default:
      return 'unknown';
  }
}
