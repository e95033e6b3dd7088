import type { IncomingMessage } from 'node:http';
import { type Caller, presumedCallerOf } from '#libs/api-keys';
import { addressSubject, type RateSubject } from '#libs/rate-limiting';
import type { Settings } from '../../config/settings.js';

/** Express adds `ip`, which it reads as its `trust proxy` says. */
type ProxiedRequest = IncomingMessage & { readonly ip?: string };

/**
 * Who a request counts against: its key, on the key's plan; without a valid key its address, at the Free plan's rate a
 * minute, so that guessing keys is limited.
 */
export function requestSubject({ server, rateLimits }: Settings): (request: IncomingMessage) => RateSubject {
  const subjects = new WeakMap<Caller, RateSubject>();
  const anonymous = { perMinute: rateLimits.free.perMinute, perDay: null };
  return (request) => {
    // While the database is gone known keys keep their own limits, or all behind an address would share one.
    const caller = presumedCallerOf(request);
    if (!caller) {
      const address = server.trustProxy ? (request as ProxiedRequest).ip : request.socket.remoteAddress;
      return { id: addressSubject(address), plan: anonymous };
    }
    let subject = subjects.get(caller);
    if (!subject) {
      const { keyId, perMinute, perDay } = caller;
      subject = { id: keyId, plan: { perMinute, perDay } };
      subjects.set(caller, subject);
    }
    return subject;
  };
}
