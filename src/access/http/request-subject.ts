import type { IncomingMessage } from 'node:http';
import { type Caller, callerOf, isLookUpFailed } from '@animal-store/api-keys';
import {
  addressSubject,
  perDay,
  perMinute,
  type RatePlan,
  type RateSubject,
} from '@animal-store/rate-limiting';
import { oncePer } from '@animal-store/kernel/http';
import { isPreflightFrom } from '@animal-store/web';
import { accountSubject, PREFLIGHTS } from '../domain/ban.js';
import type { Plan } from '../domain/plan.js';
import type { KeyFacts } from '../key-facts.js';

/** Express sets `ip` from the `trust proxy` setting. */
type ProxiedRequest = IncomingMessage & { readonly ip?: string };

/** The plan of a caller without a valid key, in metrics. */
export const WITHOUT_PLAN = 'none';

/** The settings that decide the subject of a request. */
interface SubjectSettings {
  readonly server: { readonly trustProxy: unknown; readonly corsOrigins: readonly string[] };
  readonly rateLimits: { readonly free: { readonly perMinute: number } };
}

/** The subject is stored on the caller, so that finding it needs no further look-up. */
const SUBJECT = Symbol('rate subject');
type LimitedCaller = Caller<KeyFacts> & { [SUBJECT]?: RateSubject };

/**
 * Preflights of one address per minute. They come without a key, one for each URL that a page requests. Even an office
 * with one address stays far below a thousand a second. Refusing more is cheap.
 */
const PREFLIGHT_PLAN: RatePlan = [{ ...perMinute(60_000), budget: PREFLIGHTS }];

/**
 * The subject that a request counts against. With a valid key: its account, on the plan of the key. Without: the
 * address, at the Free plan's rate per minute, so that guessing keys is limited. Preflights count by address too, in a
 * window of their own.
 */
export function requestSubject(settings: SubjectSettings): (request: IncomingMessage) => RateSubject {
  const anonymousSubject = addressOnlySubject(settings);
  return (request) => {
    // While the database is unreachable, cached keys have their own limits. Otherwise all callers with one address
    // would share a limit.
    const caller: LimitedCaller | null = callerOf<KeyFacts>(request, { evenIfUnverified: true });
    if (caller) return (caller[SUBJECT] ??= subjectOf(caller));
    let anonymous = anonymousSubject(request);
    if (isLookUpFailed(request) || hasUnknownAddress(request, settings))
      anonymous = { ...anonymous, isUncounted: true };
    if (!isPreflightFrom(settings.server.corsOrigins, request)) return anonymous;
    return { ...anonymous, plan: PREFLIGHT_PLAN, caller: `${PREFLIGHTS} ${anonymous.id}` };
  };
}

/** The subject of a request whose key is not valid, or not known yet. */
export function addressOnlySubject(settings: SubjectSettings): (request: IncomingMessage) => RateSubject {
  const { server, rateLimits } = settings;
  const plan = [perMinute(rateLimits.free.perMinute)];
  return (request) => {
    const { remoteAddress } = request.socket;
    const address = server.trustProxy ? ((request as ProxiedRequest).ip ?? remoteAddress) : remoteAddress;
    return { id: addressSubject(address), plan, label: WITHOUT_PLAN, isAddress: true };
  };
}

/** The budget is that of the account, a ban that of the key. */
function subjectOf({ keyId, account, plan }: LimitedCaller): RateSubject {
  return {
    id: accountSubject(account),
    caller: keyId,
    plan: windowsOf(plan),
    label: plan.name,
    counter: null,
  };
}

const windowsOf = oncePer((plan: Plan): RatePlan => [perMinute(plan.perMinute), perDay(plan.perDay)]);

/**
 * Whether the address of the caller is unknown. With a proxy, what cannot be read as a request has only the address
 * of the proxy, which all callers share: one of them would use up the limit of the others, or have them banned.
 */
function hasUnknownAddress(request: IncomingMessage, { server }: SubjectSettings): boolean {
  return Boolean(server.trustProxy) && (request as ProxiedRequest).ip === undefined;
}
