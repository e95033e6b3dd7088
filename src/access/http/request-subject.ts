import type { IncomingMessage } from 'node:http';
import { type Caller, presumedCallerOf } from '#libs/api-keys';
import { addressSubject, type RatePlan, type RateSubject } from '#libs/rate-limiting';

/** What of the settings decides it. */
interface SubjectSettings {
  readonly server: { readonly trustProxy: unknown };
  readonly rateLimits: { readonly free: { readonly perMinute: number } };
}

/** Express adds `ip`, which it reads as its `trust proxy` says. */
type ProxiedRequest = IncomingMessage & { readonly ip?: string };

/** On the caller itself, so that whoever has found the caller needs no look-up more. */
const SUBJECT = Symbol('rate subject');
type LimitedCaller = Caller & { [SUBJECT]?: RateSubject };

/**
 * Preflights of one address in a minute. They come without a key, and one for each URL that a page asks for: no page,
 * nor an office full of them behind one address, comes near a thousand a second. What is past it costs next to nothing.
 */
const PREFLIGHTS: RatePlan = { perMinute: 60_000, perDay: null };

/** Far more than there are plans; limits of a key's own each count as one. */
const MAX_KEPT_PLANS = 1_000;

/**
 * Who a request counts against: its key, on the key's plan; without a valid key its address, at the Free plan's rate a
 * minute, so that guessing keys is limited. Preflights count by address as well, but for themselves.
 */
export function requestSubject(
  settings: SubjectSettings,
  isPreflight: (request: IncomingMessage) => boolean,
): (request: IncomingMessage) => RateSubject {
  const anonymousSubject = addressOnlySubject(settings);
  const planOf = sharedPlans();
  return (request) => {
    // While the database is gone known keys keep their own limits, or all behind an address would share one.
    const caller: LimitedCaller | null = presumedCallerOf(request);
    if (caller) return (caller[SUBJECT] ??= { id: caller.keyId, plan: planOf(caller), counter: null });
    const anonymous = anonymousSubject(request);
    if (!isPreflight(request)) return anonymous;
    return { id: `preflight ${anonymous.id}`, plan: PREFLIGHTS };
  };
}

/** Who a request counts against when its key is not valid, or not known yet. */
export function addressOnlySubject({
  server,
  rateLimits,
}: SubjectSettings): (request: IncomingMessage) => RateSubject {
  const plan = { perMinute: rateLimits.free.perMinute, perDay: null };
  return (request) => {
    const address = server.trustProxy ? (request as ProxiedRequest).ip : request.socket.remoteAddress;
    return { id: addressSubject(address), plan };
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
