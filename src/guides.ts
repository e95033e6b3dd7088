import type { ApiDescription } from '@animal-store/openapi';
import type { Settings } from './settings/settings.js';

/** What `docs/api` has, and its titles. */
const TITLES = {
  'getting-started': 'Getting started',
  pagination: 'Pagination',
  retries: 'Retries and idempotency',
  limits: 'Limits and bans',
  keys: 'Keys and scopes',
  webhooks: 'Webhooks and events',
  deprecation: 'Deprecation',
  clients: 'Clients',
} as const;

type Guide = keyof typeof TITLES;
type DescribedOperation = Parameters<ApiDescription['guideOf']>[0];

const OF_ERRORS: Readonly<Record<Guide, readonly string[]>> = {
  'getting-started': ['missing_api_key', 'precondition_failed'],
  pagination: ['invalid_cursor'],
  retries: [
    'idempotency_key_reused',
    'idempotency_in_progress',
    'first_response_withheld',
    'pet_not_available',
    'order_not_open',
    'internal_error',
    'service_unavailable',
    'request_timeout',
  ],
  limits: ['rate_limit_exceeded', 'daily_quota_exceeded', 'api_key_banned'],
  keys: [
    'invalid_api_key',
    'insufficient_scope',
    'exceeds_own_key',
    'api_key_not_found',
    'inactive_api_key',
    'too_many_keys',
    'own_key_needs_grace',
  ],
  webhooks: ['webhook_not_found', 'delivery_not_found', 'event_not_found', 'too_many_webhooks'],
  deprecation: ['pet_not_found', 'operation_removed'],
  clients: ['unknown_pet'],
};

/** The link in `docs/api` to who issues keys, which leads to the setting until that is known. */
const OPERATOR = '../reference.md#settings';

/** A guide for callers of this server. Without a URL the link to the operator is a name. */
export function adaptGuide(
  markdown: string,
  supportUrl: string | null,
  limits: Settings['rateLimits'],
): string {
  const adapted = markdown.replaceAll(OPERATOR, supportUrl ?? '');
  return markdown.startsWith(`# ${TITLES.limits}`) ? withLimits(adapted, limits) : adapted;
}

/** Replaces the defaults in the guide, its table and its examples, by the settings. */
function withLimits(guide: string, { free, pro, business, ban }: Settings['rateLimits']): string {
  const { perMinute, perDay } = free;
  const plans: Readonly<Record<string, typeof free>> = { Free: free, Pro: pro, Business: business };
  const examples: Readonly<Record<string, number>> = { 60: perMinute, 59: perMinute - 1, 999: perDay - 1 };
  return guide
    .replace(/^(#|for) .*$/gm, (line) => line.replace(/\b(60|59|999)\b/g, (shown) => String(examples[shown])))
    .replace(
      /^\| (Free|Pro|Business) .*$/gm,
      (_, name: string) =>
        `| ${name} | ${grouped(plans[name]!.perMinute)} | ${grouped(plans[name]!.perDay)} |`,
    )
    .replace('reach 20,', `reach ${ban.minRefusals},`)
    .replace('for 60 s.', `for ${ban.firstBanMs / 1_000} s.`)
    .replace('within 86400 s', `within ${ban.memoryMs / 1_000} s`)
    .replace('up to 3600 s.', `up to ${ban.longestBanMs / 1_000} s.`);
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}

/** A link to the guide that explains an error, as `docs/errors.md` names it. */
export function guideOfError(code: string): string | null {
  const guides = Object.entries(OF_ERRORS) as [Guide, readonly string[]][];
  const [name] = guides.find(([, codes]) => codes.includes(code)) ?? [];
  return name === undefined ? null : `[${TITLES[name].split(' and ')[0]}](api/${name}.md)`;
}

/** A link to the guide that explains an operation. */
export function guideOf(operation: DescribedOperation, publicPath: string): string {
  const name = nameOf(operation);
  return `Guide: [${TITLES[name]}](${publicPath}/docs/guides/${name}).`;
}

function nameOf({ deprecated, operationId, tags, parameters = [] }: DescribedOperation): Guide {
  const takes = (name: string) =>
    parameters.some((parameter) => 'name' in parameter && parameter.name === name);
  if (deprecated) return 'deprecation';
  if (tags?.[0] === 'Webhooks') return 'webhooks';
  if (tags?.[0] === 'Account') return operationId === 'getUsage' ? 'limits' : 'keys';
  if (takes('Idempotency-Key')) return 'retries';
  return takes('cursor') ? 'pagination' : 'getting-started';
}
