import type { IncomingMessage } from 'node:http';
import { type Caller, presumedCallerOf } from '#libs/api-keys';
import { addressSubject, type RatePlan, type RateSubject } from '#libs/rate-limiting';
import type { Settings } from '../../config/settings.js';

/** Express adds `ip`, which it reads as its `trust proxy` says. */
type ProxiedRequest = IncomingMessage & { readonly ip?: string };

/** On the caller itself, so that whoever has found the caller needs no look-up more. */
const SUBJECT = Symbol('rate subject');
type LimitedCaller = Caller & { [SUBJECT]?: RateSubject };

/** Far more than there are plans; limits of a key's own each count as one. */
const MAX_KEPT_PLANS = 1_000;

/**
 * Who a request counts against: its key, on the key's plan; without a valid key its address, at the Free plan's rate a
 * minute, so that guessing keys is limited.
 */
export function requestSubject({ server, rateLimits }: Settings): (request: IncomingMessage) => RateSubject {
  const anonymous = { perMinute: rateLimits.free.perMinute, perDay: null };
  const planOf = sharedPlans();
  return (request) => {
    // While the database is gone known keys keep their own limits, or all behind an address would share one.
    const caller: LimitedCaller | null = presumedCallerOf(request);
    if (!caller) {
      const address = server.trustProxy ? (request as ProxiedRequest).ip : request.socket.remoteAddress;
      return { id: addressSubject(address), plan: anonymous };
    }
    return (caller[SUBJECT] ??= { id: caller.keyId, plan: planOf(caller), counter: null });
  };
}

/** One object for all who have the same limits. */
function sharedPlans(): (limits: { perMinute: number; perDay: number }) => RatePlan {
  const plans = new Map<string, RatePlan>();
  return ({ perMinute, perDay }) => {
    const name = `${perMinute}/${perDay}`;
    let plan = plans.get(name);
    if (!plan) {
      plan = { perMinute, perDay };
      if (plans.size < MAX_KEPT_PLANS) plans.set(name, plan);
    }
    return plan;
  };
}
