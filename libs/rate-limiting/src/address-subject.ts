import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import { withoutPort } from '@animal-store/kernel/http';

/**
 * Who counts as one caller when only the address is known: an IPv4 address as it is, also when it comes mapped into
 * IPv6 (RFC 4291 section 2.5.5.2), an IPv6 address by its /64. A port, which some balancers write into X-Forwarded-For,
 * is left out. All that is no address is one caller: nobody gets a new limit by inventing text.
 *
 * @example
 * ```ts
 * addressSubject('203.0.113.7'); // '203.0.113.7'
 * addressSubject('::ffff:203.0.113.7'); // '203.0.113.7'
 * addressSubject('203.0.113.7:51234'); // '203.0.113.7'
 * addressSubject('2001:db8:1:2:3:4:5:6'); // '2001:db8:1:2::/64'
 * ```
 */
export function addressSubject(ip: string | undefined): string {
  const address = withoutPort(ip ?? '');
  if (address.startsWith('::ffff:') && isIP(address.slice(7)) === 4) return address.slice(7);
  switch (isIP(address)) {
    case 4:
      return address;
    case 6:
      return normalizeIp(address, 64);
    default:
      return 'unknown';
  }
}
