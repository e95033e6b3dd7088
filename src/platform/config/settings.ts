import { isIP } from 'node:net';
import { z } from 'zod';

export interface PlanLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** All settings, read and validated once at start. The class is also the injection token. */
export class Settings {
  readonly mode: 'production' | 'development' | 'test';
  readonly server: {
    /** 0 takes any free port. */
    readonly port: number;
    readonly host: string;
    readonly corsOrigins: readonly string[];
    /** The value of Express's `trust proxy`: false, the number of proxies in front, or their addresses. */
    readonly trustProxy: false | number | string[];
    readonly maxConnections: number;
    readonly headersTimeoutMs: number;
    readonly requestTimeoutMs: number;
    readonly keepAliveTimeoutMs: number;
    readonly bodyLimitBytes: number;
    /** How long the server still accepts requests after SIGTERM, while it is not ready. */
    readonly shutdownDelayMs: number;
    readonly shutdownGraceMs: number;
  };
  readonly database: SqliteSettings | PostgresSettings;
  readonly redis: { readonly url: string; readonly timeoutMs: number } | null;
  readonly api: {
    readonly environment: 'production' | 'staging';
    readonly keyPrefix: 'ask_live_' | 'ask_test_';
    /** When null, the OpenAPI document names only the server that serves it. */
    readonly publicUrl: string | null;
    readonly stagingUrl: string | null;
    /** Where to report a vulnerability; null serves no `/.well-known/security.txt`. */
    readonly securityContact: string | null;
  };
  readonly rateLimits: {
    readonly free: PlanLimits;
    readonly pro: PlanLimits;
    readonly business: PlanLimits;
    readonly ban: {
      readonly minRefusals: number;
      readonly firstBanSeconds: number;
      /** How long a ban is remembered: a ban within this time doubles. */
      readonly memorySeconds: number;
      readonly longestBanSeconds: number;
    };
  };
  readonly metrics: { readonly port: number | null };
  readonly log: { readonly level: LogLevel };
}

export interface SqliteSettings {
  readonly kind: 'sqlite';
  readonly file: string;
  /** How long a write waits while another process writes. */
  readonly lockTimeoutMs: number;
  /** How long a starting server waits for the previous one to release the file. */
  readonly handoverTimeoutMs: number;
}

export interface PostgresSettings {
  readonly kind: 'postgres';
  /** Of the first host. */
  readonly url: string;
  /** The same database on further hosts. The service uses the host that is the primary. */
  readonly otherUrls: readonly string[];
  readonly poolSize: number;
  /** How many reads, and how many writes, may wait for a connection of the pool. */
  readonly queueSize: number;
  readonly statementTimeoutMs: number;
  readonly connectTimeoutMs: number;
  /** How long a starting server tries to get the locks of a migration. */
  readonly migrationTimeoutMs: number;
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** At least one setting is invalid. The message has one line for each and contains no password. */
export class InvalidSettings extends Error {
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'InvalidSettings';
  }
}

/** Variables whose values contain passwords. No message repeats them. */
const SECRET_VARIABLES = new Set(['DATABASE_URL', 'REDIS_URL']);

/** The longest delay that setTimeout accepts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The names of all settings; `.env.example` documents each. */
export const variables = z
  .object({
    NODE_ENV: oneOf(['production', 'development', 'test']).default('development'),
    PORT: wholeNumber(0, 65_535).default(3000),
    HOST: z.string().refine(isHost, 'must be an IP address or a host name').optional(),
    CORS_ORIGINS: z.string().transform(readOrigins).default([]),
    TRUST_PROXY: z.string().transform(readTrustProxy).default(false),
    MAX_CONNECTIONS: wholeNumber(1, 1_000_000).default(10_000),
    HEADERS_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(10_000),
    REQUEST_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(15_000),
    // Longer than the 60 s after which common load balancers close an idle connection. The load balancer reuses
    // connections, so it must be the first to close them; otherwise requests are lost.
    KEEP_ALIVE_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(65_000),
    BODY_LIMIT_BYTES: wholeNumber(1, 16_777_216).default(16_384),
    SHUTDOWN_DELAY_MS: wholeNumber(0, LONGEST_TIMER_MS).default(0),
    SHUTDOWN_GRACE_MS: wholeNumber(0, LONGEST_TIMER_MS).default(10_000),
    DATABASE_URL: z
      .string()
      .transform(readDatabaseUrl)
      .default({ kind: 'sqlite', file: 'data/animal-store.db' }),
    DATABASE_LOCK_TIMEOUT_MS: wholeNumber(0, LONGEST_TIMER_MS).default(2_000),
    DATABASE_HANDOVER_TIMEOUT_MS: wholeNumber(0, LONGEST_TIMER_MS).default(0),
    DATABASE_POOL_SIZE: wholeNumber(1, 1_000).default(10),
    DATABASE_QUEUE_SIZE: wholeNumber(1, 1_000_000).default(2_000),
    DATABASE_STATEMENT_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(5_000),
    DATABASE_CONNECT_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(2_000),
    DATABASE_MIGRATION_TIMEOUT_MS: wholeNumber(1, LONGEST_TIMER_MS).default(600_000),
    REDIS_URL: z.string().transform(readRedisUrl).optional(),
    REDIS_TIMEOUT_MS: wholeNumber(1, 10_000).default(50),
    API_ENVIRONMENT: oneOf(['production', 'staging']).default('production'),
    PUBLIC_URL: apiUrl().optional(),
    STAGING_URL: apiUrl().optional(),
    SECURITY_CONTACT: z.string().refine(isContact, 'must be a mailto: or https: URL').optional(),
    FREE_PER_MINUTE: quota().default(60),
    FREE_PER_DAY: quota().default(1_000),
    PRO_PER_MINUTE: quota().default(300),
    PRO_PER_DAY: quota().default(10_000),
    BUSINESS_PER_MINUTE: quota().default(1_000),
    BUSINESS_PER_DAY: quota().default(100_000),
    BAN_MIN_REFUSALS: quota().default(20),
    BAN_FIRST_SECONDS: wholeNumber(1, 31_536_000).default(60),
    BAN_MEMORY_SECONDS: wholeNumber(1, 31_536_000).default(86_400),
    BAN_LONGEST_SECONDS: wholeNumber(1, 31_536_000).default(3_600),
    METRICS_PORT: wholeNumber(0, 65_535).optional(),
    LOG_LEVEL: oneOf(LOG_LEVELS).default('info'),
  })
  .superRefine((values, context) => {
    const refuse = (name: keyof typeof values, message: string): void =>
      context.addIssue({ code: 'custom', path: [name], message });

    // Node refuses to create a server when the request time-out is the shorter one.
    if (values.REQUEST_TIMEOUT_MS < values.HEADERS_TIMEOUT_MS) {
      refuse('REQUEST_TIMEOUT_MS', 'must not be shorter than HEADERS_TIMEOUT_MS');
    }
    if (values.BAN_LONGEST_SECONDS < values.BAN_FIRST_SECONDS) {
      refuse('BAN_LONGEST_SECONDS', 'must not be shorter than BAN_FIRST_SECONDS');
    }
    if (
      values.METRICS_PORT !== undefined &&
      values.METRICS_PORT !== 0 &&
      values.METRICS_PORT === values.PORT
    ) {
      refuse('METRICS_PORT', 'must differ from PORT');
    }
  });

/**
 * Reads the settings from `env`. An unset or empty variable has its default value.
 * @throws InvalidSettings with one line for each invalid variable
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const given = Object.fromEntries(
    Object.keys(variables.shape)
      .map((name) => [name, env[name]?.trim()])
      .filter(([, text]) => text),
  ) as Record<string, string>;

  const read = variables.safeParse(given);
  if (!read.success) {
    throw new InvalidSettings(
      read.error.issues.map((issue) => {
        const name = String(issue.path[0]);
        const value = given[name];
        const shown =
          value === undefined || SECRET_VARIABLES.has(name) ? '' : `, not ${JSON.stringify(value)}`;
        return `${name} ${issue.message}${shown}.`;
      }),
    );
  }
  return settingsOf(read.data);
}

function settingsOf(values: z.output<typeof variables>): Settings {
  return Object.assign(new Settings(), {
    mode: values.NODE_ENV,
    server: {
      port: values.PORT,
      // A development server listens only on loopback. In production a proxy or another host must reach the server.
      host: values.HOST ?? (values.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'),
      corsOrigins: values.CORS_ORIGINS,
      trustProxy: values.TRUST_PROXY,
      maxConnections: values.MAX_CONNECTIONS,
      headersTimeoutMs: values.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: values.REQUEST_TIMEOUT_MS,
      keepAliveTimeoutMs: values.KEEP_ALIVE_TIMEOUT_MS,
      bodyLimitBytes: values.BODY_LIMIT_BYTES,
      shutdownDelayMs: values.SHUTDOWN_DELAY_MS,
      shutdownGraceMs: values.SHUTDOWN_GRACE_MS,
    },
    database:
      values.DATABASE_URL.kind === 'sqlite'
        ? {
            ...values.DATABASE_URL,
            lockTimeoutMs: values.DATABASE_LOCK_TIMEOUT_MS,
            handoverTimeoutMs: values.DATABASE_HANDOVER_TIMEOUT_MS,
          }
        : {
            ...values.DATABASE_URL,
            poolSize: values.DATABASE_POOL_SIZE,
            queueSize: values.DATABASE_QUEUE_SIZE,
            statementTimeoutMs: values.DATABASE_STATEMENT_TIMEOUT_MS,
            connectTimeoutMs: values.DATABASE_CONNECT_TIMEOUT_MS,
            migrationTimeoutMs: values.DATABASE_MIGRATION_TIMEOUT_MS,
          },
    redis:
      values.REDIS_URL === undefined ? null : { url: values.REDIS_URL, timeoutMs: values.REDIS_TIMEOUT_MS },
    api: {
      environment: values.API_ENVIRONMENT,
      keyPrefix: values.API_ENVIRONMENT === 'production' ? 'ask_live_' : 'ask_test_',
      publicUrl: values.PUBLIC_URL ?? null,
      stagingUrl: values.STAGING_URL ?? null,
      securityContact: values.SECURITY_CONTACT ?? null,
    },
    rateLimits: {
      free: { perMinute: values.FREE_PER_MINUTE, perDay: values.FREE_PER_DAY },
      pro: { perMinute: values.PRO_PER_MINUTE, perDay: values.PRO_PER_DAY },
      business: { perMinute: values.BUSINESS_PER_MINUTE, perDay: values.BUSINESS_PER_DAY },
      ban: {
        minRefusals: values.BAN_MIN_REFUSALS,
        firstBanSeconds: values.BAN_FIRST_SECONDS,
        memorySeconds: values.BAN_MEMORY_SECONDS,
        longestBanSeconds: values.BAN_LONGEST_SECONDS,
      },
    },
    metrics: { port: values.METRICS_PORT ?? null },
    log: { level: values.LOG_LEVEL },
  } satisfies Settings);
}

function wholeNumber(least: number, most: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) >= least && Number(text) <= most,
      `must be a whole number from ${least} to ${most}`,
    )
    .transform(Number);
}

function quota() {
  return wholeNumber(1, 1_000_000_000);
}

function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, { error: `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` });
}

function apiUrl() {
  return z.string().refine((text) => {
    if (!hasProtocol(text, ['http:', 'https:'])) return false;
    const url = new URL(text);
    return url.pathname.endsWith('/v1') && url.search === '' && url.hash === '' && url.username === '';
  }, 'must be an http or https URL that ends in /v1');
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

/** A contact of RFC 9116. A space or a line break would end it. */
function isContact(text: string): boolean {
  return hasProtocol(text, ['mailto:', 'https:']) && !/\s/.test(text);
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z\d]([a-z\d.-]{0,252})$/i.test(text);
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function refuse(context: z.core.$RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}

function readOrigins(text: string, context: z.core.$RefinementCtx): string[] {
  const origins = listOf(text).map(originOf);
  if (origins.every((origin) => origin !== null)) return origins;
  return refuse(context, 'must be a comma-separated list of origins such as https://shop.example');
}

/** The origin as browsers send it: lower case, without the default port. */
function originOf(text: string): string | null {
  if (!hasProtocol(text, ['http:', 'https:'])) return null;
  const url = new URL(text);
  return url.href === `${url.origin}/` ? url.origin : null;
}

/** Express's names for address ranges. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];

function readTrustProxy(text: string, context: z.core.$RefinementCtx): false | number | string[] {
  if (text === 'false' || text === '0') return false;
  // For Express `true` means to trust the first address in the list, which any caller can set. People who write it mean
  // one proxy.
  if (text === 'true') return 1;
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const proxies = listOf(text);
  if (proxies.length > 0 && proxies.every((proxy) => NAMED_RANGES.includes(proxy) || isSubnet(proxy)))
    return proxies;
  return refuse(
    context,
    'must be false, the number of proxies in front, or a comma-separated list of their addresses and subnets',
  );
}

function isSubnet(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

function readDatabaseUrl(
  text: string,
  context: z.core.$RefinementCtx,
): Pick<SqliteSettings, 'kind' | 'file'> | PostgresAddress {
  if (text.startsWith('sqlite:')) {
    const path = text.slice('sqlite:'.length);
    // sqlite:///var/lib/x.db is the same absolute path as sqlite:/var/lib/x.db.
    const file = path.startsWith('///') ? path.slice(2) : path;
    if (file === ':memory:') {
      return refuse(
        context,
        'must name a file: a database in memory cannot be read by a second connection and loses its data on exit',
      );
    }
    if (file === '' || file.startsWith('//'))
      return refuse(context, 'must be sqlite:<file>, for example sqlite:data/animal-store.db');
    return { kind: 'sqlite', file };
  }
  return readPostgresUrl(text, context);
}

type PostgresAddress = Pick<PostgresSettings, 'kind' | 'url' | 'otherUrls'>;

/** What is before the hosts, the hosts, and what is after them. */
const POSTGRES_URL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
/** What libpq calls a server that takes writes. */
const PRIMARY_NAMES = ['primary', 'read-write'];

function readPostgresUrl(text: string, context: z.core.$RefinementCtx): PostgresAddress {
  const [, before = '', hosts = '', after = ''] = POSTGRES_URL.exec(text) ?? [];
  const names = hosts.split(',');
  const urls = names.map((host) => `${before}${host}${after}`);
  const hasGap = names.length > 1 && names.includes('');
  if (hasGap || !urls.every((url) => hasProtocol(url, ['postgres:', 'postgresql:'])))
    return refuse(
      context,
      'must be sqlite:<file> or postgres://user:password@host:port/database, with further hosts after a comma and special characters of the password percent-encoded',
    );
  const { searchParams } = new URL(urls[0]!);
  const attributes = searchParams.get('target_session_attrs');
  if (attributes !== null && !PRIMARY_NAMES.includes(attributes))
    return refuse(
      context,
      'must have target_session_attrs=primary or none: the service writes, so it uses only the primary',
    );
  if (searchParams.get('host')?.includes(','))
    return refuse(
      context,
      'must name several hosts before the database, as in postgres://user:password@host1:5432,host2:5432/database',
    );
  const [url, ...otherUrls] = urls as [string, ...string[]];
  return { kind: 'postgres', url, otherUrls };
}

/** How other clients name several hosts, Sentinels or the nodes of a cluster. */
const SEVERAL_REDIS = /^rediss?[+-](sentinel|cluster):|^rediss?:\/\/(?:[^/?#]*@)?[^/?#@]*,(?![^/?#]*@)/;

function readRedisUrl(text: string, context: z.core.$RefinementCtx): string {
  if (SEVERAL_REDIS.test(text))
    return refuse(
      context,
      'must name one Redis server, the primary: several hosts, Redis Cluster and Sentinel are not supported',
    );
  if (hasProtocol(text, ['redis:', 'rediss:'])) return text;
  return refuse(
    context,
    'must be redis://host:port or rediss://host:port, with special characters of a password percent-encoded',
  );
}
