import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';

/**
 * Who counts as one caller when only the address is known: an IPv4 address as it is, also when it comes mapped into
 * IPv6 (RFC 4291 section 2.5.5.2), an IPv6 address by its /64. All that is no address, e.g. from a proxy that writes
 * ports into X-Forwarded-For, is one caller: nobody gets a new limit by inventing text.
 *
 * @param options `ipv6Prefix`: how many bits of an IPv6 address are one caller. 64, unless told, is the least that a
 *   household gets; some providers hand out a /56 or a /48.
 * @example
 * ```ts
 * addressSubject('203.0.113.7'); // '203.0.113.7'
 * addressSubject('::ffff:203.0.113.7'); // '203.0.113.7'
 * addressSubject('2001:db8:1:2:3:4:5:6'); // '2001:db8:1:2::/64'
 * addressSubject('2001:db8:1:2:3:4:5:6', { ipv6Prefix: 48 }); // '2001:db8:1::/48'
 * ```
 */
export function addressSubject(
  ip: string | undefined,
  { ipv6Prefix = 64 }: { readonly ipv6Prefix?: number } = {},
): string {
  if (ip === undefined) return 'unknown';
  if (ip.startsWith('::ffff:') && isIP(ip.slice(7)) === 4) return ip.slice(7);
  switch (isIP(ip)) {
    case 4:
      return ip;
    case 6:
      return normalizeIp(ip, ipv6Prefix);
    default:
      return 'unknown';
  }
}
