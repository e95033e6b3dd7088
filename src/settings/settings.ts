import { isIP } from 'node:net';
import { InvalidRedisUrl, readRedisUrl } from '@animal-store/rate-limiting';
import { z } from 'zod';
import { KEY_PREFIXES, SERVICE, VERSIONS } from '../version.js';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** At least one setting is invalid. The message has one line for each and contains no password. */
export class InvalidSettings extends Error {
  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.name = 'InvalidSettings';
  }
}

/** Variables whose values contain passwords. No message repeats them. */
const SECRET_VARIABLES = new Set(['DATABASE_URL', 'REDIS_URL']);

/** Where the addresses of the service end. */
const API_VERSION = `/v${VERSIONS[0]}`;

/** The longest delay that setTimeout accepts. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** How a text is read, and what the docs say of it. */
interface Kind<T> {
  readonly schema: z.ZodType<T, string>;
  readonly type: string;
  readonly range?: string;
}

/** A setting, and what the docs say of it. */
interface Setting<Schema extends z.ZodType = z.ZodType> extends Omit<Kind<unknown>, 'schema'> {
  readonly schema: Schema;
  readonly standard: string;
  /** The release that has it first; `next` is the one that is not released yet. */
  readonly since: string;
  /** Whether each replica may have a value of its own. Otherwise callers would notice which one responds. */
  readonly isOwn: boolean;
}

const setting = <T>({ schema, ...kind }: Kind<T>, value: T, standard = String(value)) => ({
  ...kind,
  schema: schema.default(value as never) as z.ZodType<T>,
  standard,
  since: '1.0.0',
  isOwn: false,
});
/** Unset, it is null. */
const optional = <T>({ schema, ...kind }: Kind<T>, standard = '') => ({
  ...kind,
  schema: schema.optional().transform((value) => value ?? null),
  standard,
  since: '1.0.0',
  isOwn: false,
});
const own = <S extends Setting>(one: S): S => ({ ...one, isOwn: true });
const since = <S extends Setting>(release: string, one: S): S => ({ ...one, since: release });

const SETTINGS = {
  NODE_ENV: setting(oneOf(['production', 'development', 'test']), 'development'),
  /** 0 takes any free port. */
  PORT: own(setting(wholeNumber(0, 65_535), 3_000)),
  HOST: own(optional(host(), '127.0.0.1; in production 0.0.0.0')),
  /** Whether other processes of this machine may listen on the port too. The kernel gives each connection to one. */
  REUSE_PORT: own(since('2.0.0', setting(onOrOff(), false))),
  CORS_ORIGINS: setting(text('origins', z.string().transform(readOrigins)), [], ''),
  /** The value of Express's `trust proxy`: false, the number of proxies in front, or their addresses. */
  TRUST_PROXY: setting(text('proxies', z.string().transform(readTrustProxy), 'number, addresses'), false),
  MAX_CONNECTIONS: own(setting(wholeNumber(1, 1_000_000), 10_000)),
  /** Responses that handlers hold open: in all, and of one key. */
  MAX_STREAMS: own(since('2.0.0', setting(wholeNumber(1, 1_000_000), 1_000))),
  MAX_STREAMS_PER_ACCOUNT: since('2.0.0', setting(wholeNumber(1, 1_000_000), 10)),
  HEADERS_TIMEOUT_MS: own(setting(milliseconds(1), 10_000)),
  REQUEST_TIMEOUT_MS: own(setting(milliseconds(1), 15_000)),
  // Longer than the 60 s after which common load balancers close an idle connection. The load balancer reuses
  // connections, so it must be the first to close them; otherwise requests are lost.
  KEEP_ALIVE_TIMEOUT_MS: own(setting(milliseconds(1), 65_000)),
  BODY_LIMIT_BYTES: setting(wholeNumber(1, 16_777_216), 16_384),
  /** For the bodies of operations with a limit of their own, together. One key may have a quarter, or one body. */
  BODY_MEMORY_BYTES: own(since('2.0.0', setting(wholeNumber(1, 1_099_511_627_776), 67_108_864))),
  /** Of a file in a form, for modules that take files. */
  UPLOAD_LIMIT_BYTES: since('1.1.0', setting(wholeNumber(1, 1_073_741_824), 1_048_576)),
  /** How long the server still accepts requests after SIGTERM, while it is not ready. */
  SHUTDOWN_DELAY_MS: own(since('1.1.0', setting(milliseconds(0), 0))),
  SHUTDOWN_GRACE_MS: own(setting(milliseconds(0), 10_000)),
  DATABASE_URL: setting<DatabaseAddress>(
    text('URL', z.string().transform(readDatabaseUrl), '`sqlite:…`, `postgres://…`'),
    { kind: 'sqlite', file: 'data/animal-store.db' },
    'sqlite:data/animal-store.db',
  ),
  /** How long a write waits while another process writes. */
  DATABASE_LOCK_TIMEOUT_MS: own(since('1.1.0', setting(milliseconds(0), 2_000))),
  /** How long a starting server waits for the previous one to release the file. */
  DATABASE_HANDOVER_TIMEOUT_MS: own(since('1.1.0', setting(milliseconds(0), 0))),
  DATABASE_POOL_SIZE: own(setting(wholeNumber(1, 1_000), 10)),
  /** How many reads, and how many writes, may wait for a connection of the pool. */
  DATABASE_QUEUE_SIZE: own(since('1.1.0', setting(wholeNumber(1, 1_000_000), 2_000))),
  DATABASE_STATEMENT_TIMEOUT_MS: own(setting(milliseconds(1), 5_000)),
  DATABASE_CONNECT_TIMEOUT_MS: own(setting(milliseconds(1), 2_000)),
  /** How long a starting server tries to get the locks of a migration. */
  DATABASE_MIGRATION_TIMEOUT_MS: own(since('1.1.0', setting(milliseconds(1), 600_000))),
  REDIS_URL: optional(
    text('URL', z.string().transform(checkRedisUrl), '`redis://…`, `redis+sentinel://…`, …'),
  ),
  REDIS_TIMEOUT_MS: own(setting({ ...wholeNumber(1, 10_000), type: 'milliseconds' }, 50)),
  API_ENVIRONMENT: setting(oneOf(['production', 'staging']), 'production'),
  /** When unset, the OpenAPI document names only the server that serves it. */
  PUBLIC_URL: optional(apiUrl()),
  STAGING_URL: optional(apiUrl()),
  /** Where callers get keys and help. The guides and the OpenAPI document name it. */
  SUPPORT_URL: since('2.0.0', optional(contact())),
  /** Where to report a vulnerability. Unset, there is no `/.well-known/security.txt`. */
  SECURITY_CONTACT: since('1.1.0', optional(contact())),
  FREE_PER_MINUTE: setting(quota(), 60),
  FREE_PER_DAY: setting(quota(), 1_000),
  PRO_PER_MINUTE: setting(quota(), 300),
  PRO_PER_DAY: setting(quota(), 10_000),
  BUSINESS_PER_MINUTE: setting(quota(), 1_000),
  BUSINESS_PER_DAY: setting(quota(), 100_000),
  BAN_MIN_REFUSALS: setting(quota(), 20),
  BAN_FIRST_SECONDS: setting(seconds(), 60),
  /** How long a ban is remembered: a ban within this time doubles. */
  BAN_MEMORY_SECONDS: setting(seconds(), 86_400),
  BAN_LONGEST_SECONDS: setting(seconds(), 3_600),
  /** How many active keys an account may make itself, and how many new ones a day. */
  MAX_KEYS_PER_ACCOUNT: since('2.0.0', setting(wholeNumber(1, 10_000), 100)),
  /** How long an order may stay open; 0 for ever. */
  ORDER_EXPIRY_DAYS: since('2.0.0', setting(wholeNumber(0, 3_650), 0)),
  /** Whether requests to others, such as webhooks, may go to private addresses, to any port, and without TLS. */
  OUTGOING_ALLOW_PRIVATE: since('2.0.0', setting(onOrOff(), false)),
  /** How many deliveries of a webhook may be pending. With more it is disabled. */
  WEBHOOK_MAX_PENDING: since('2.0.0', setting(wholeNumber(1, 1_000_000), 10_000)),
  /** `subscribed`: events are stored while a webhook is told of them. `always`: all are, so that they can be read. */
  EVENTS: since('2.0.0', setting(oneOf(['subscribed', 'always']), 'subscribed')),
  METRICS_PORT: own(optional(wholeNumber(0, 65_535))),
  // Nobody outside may read them, so they are on another address only when the operator says so.
  METRICS_HOST: own(since('1.1.0', setting(host(), '127.0.0.1'))),
  LOG_LEVEL: own(setting(oneOf(LOG_LEVELS), 'info')),
};

type Schemas = { readonly [Name in keyof typeof SETTINGS]: (typeof SETTINGS)[Name]['schema'] };
const schemas = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, { schema }]) => [name, schema]),
) as unknown as Schemas;

/** What the docs say of each setting; `.env.example` says what it is for. */
export const SETTING_FACTS: readonly (Omit<Setting, 'schema'> & { readonly name: string })[] = Object.entries(
  SETTINGS,
).map(([name, { type, range, standard, since, isOwn }]: [string, Setting]) => {
  return { name, type, range, standard, since, isOwn };
});

/** The names of all settings; `.env.example` documents each. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTINGS);

const schema = z
  .object(schemas)
  .superRefine((all, context) => {
    const refuse = (name: keyof Schemas, message: string) =>
      context.addIssue({ code: 'custom', path: [name], message });
    // Node refuses to create a server when the request time-out is the shorter one.
    if (all.REQUEST_TIMEOUT_MS < all.HEADERS_TIMEOUT_MS)
      refuse('REQUEST_TIMEOUT_MS', 'must not be shorter than HEADERS_TIMEOUT_MS');
    if (all.BAN_LONGEST_SECONDS < all.BAN_FIRST_SECONDS)
      refuse('BAN_LONGEST_SECONDS', 'must not be shorter than BAN_FIRST_SECONDS');
    if (all.METRICS_PORT && all.METRICS_PORT === all.PORT) refuse('METRICS_PORT', 'must differ from PORT');
    if (all.NODE_ENV === 'production' && all.OUTGOING_ALLOW_PRIVATE)
      refuse(
        'OUTGOING_ALLOW_PRIVATE',
        'must be false in production, as whoever has a key could reach what only this host can reach',
      );
    const obstacle = all.REUSE_PORT ? obstacleToSharing(all.DATABASE_URL, all.REDIS_URL) : null;
    if (obstacle !== null) refuse('REUSE_PORT', `must be false ${obstacle}`);
  })
  .transform((all) => ({
    mode: all.NODE_ENV,
    server: {
      port: all.PORT,
      // A development server listens only on loopback. In production a proxy or another host must reach the server.
      host: all.HOST ?? (all.NODE_ENV === 'production' ? '0.0.0.0' : '127.0.0.1'),
      reusePort: all.REUSE_PORT,
      corsOrigins: all.CORS_ORIGINS,
      trustProxy: all.TRUST_PROXY,
      maxConnections: all.MAX_CONNECTIONS,
      maxStreams: all.MAX_STREAMS,
      maxStreamsPerAccount: all.MAX_STREAMS_PER_ACCOUNT,
      headersTimeoutMs: all.HEADERS_TIMEOUT_MS,
      requestTimeoutMs: all.REQUEST_TIMEOUT_MS,
      keepAliveTimeoutMs: all.KEEP_ALIVE_TIMEOUT_MS,
      bodyLimitBytes: all.BODY_LIMIT_BYTES,
      bodyMemoryBytes: all.BODY_MEMORY_BYTES,
      uploadLimitBytes: all.UPLOAD_LIMIT_BYTES,
      shutdownDelayMs: all.SHUTDOWN_DELAY_MS,
      shutdownGraceMs: all.SHUTDOWN_GRACE_MS,
    },
    database:
      all.DATABASE_URL.kind === 'sqlite'
        ? {
            ...all.DATABASE_URL,
            lockTimeoutMs: all.DATABASE_LOCK_TIMEOUT_MS,
            handoverTimeoutMs: all.DATABASE_HANDOVER_TIMEOUT_MS,
          }
        : {
            ...all.DATABASE_URL,
            poolSize: all.DATABASE_POOL_SIZE,
            queueSize: all.DATABASE_QUEUE_SIZE,
            statementTimeoutMs: all.DATABASE_STATEMENT_TIMEOUT_MS,
            connectTimeoutMs: all.DATABASE_CONNECT_TIMEOUT_MS,
            migrationTimeoutMs: all.DATABASE_MIGRATION_TIMEOUT_MS,
            applicationName: SERVICE,
          },
    redis: all.REDIS_URL === null ? null : { url: all.REDIS_URL, timeoutMs: all.REDIS_TIMEOUT_MS },
    api: {
      environment: all.API_ENVIRONMENT,
      publicUrl: all.PUBLIC_URL,
      stagingUrl: all.STAGING_URL,
      supportUrl: all.SUPPORT_URL,
      securityContact: all.SECURITY_CONTACT,
      keyPrefix: KEY_PREFIXES[all.API_ENVIRONMENT],
      ...addressOf({
        environment: all.API_ENVIRONMENT,
        publicUrl: all.PUBLIC_URL,
        stagingUrl: all.STAGING_URL,
      }),
    },
    rateLimits: {
      free: { perMinute: all.FREE_PER_MINUTE, perDay: all.FREE_PER_DAY },
      pro: { perMinute: all.PRO_PER_MINUTE, perDay: all.PRO_PER_DAY },
      business: { perMinute: all.BUSINESS_PER_MINUTE, perDay: all.BUSINESS_PER_DAY },
      ban: {
        minRefusals: all.BAN_MIN_REFUSALS,
        firstBanMs: all.BAN_FIRST_SECONDS * 1_000,
        memoryMs: all.BAN_MEMORY_SECONDS * 1_000,
        longestBanMs: all.BAN_LONGEST_SECONDS * 1_000,
      },
    },
    keys: { perAccount: all.MAX_KEYS_PER_ACCOUNT },
    orders: { expiryDays: all.ORDER_EXPIRY_DAYS },
    outgoing: { allowPrivate: all.OUTGOING_ALLOW_PRIVATE },
    webhooks: { mostPending: all.WEBHOOK_MAX_PENDING, events: all.EVENTS },
    metrics: { port: all.METRICS_PORT, host: all.METRICS_HOST },
    log: { level: all.LOG_LEVEL },
  }));

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

type Values = DeepReadonly<z.infer<typeof schema>>;

/** All settings, read and validated once at start. The class is also the injection token. */
export abstract class Settings implements Values {
  abstract readonly mode: Values['mode'];
  abstract readonly server: Values['server'];
  abstract readonly database: Values['database'];
  abstract readonly redis: Values['redis'];
  abstract readonly api: Values['api'];
  abstract readonly rateLimits: Values['rateLimits'];
  abstract readonly orders: Values['orders'];
  abstract readonly keys: Values['keys'];
  abstract readonly outgoing: Values['outgoing'];
  abstract readonly webhooks: Values['webhooks'];
  abstract readonly metrics: Values['metrics'];
  abstract readonly log: Values['log'];
}

/** Settings of earlier releases, and what takes their place. */
const GONE = {
  PROCESSES: 'A server is one process now: remove the setting, and start more servers with REUSE_PORT=true',
};

/**
 * Reads the settings from `env`. An unset or empty variable has its default value.
 * @throws InvalidSettings with one line for each invalid variable
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const gone = Object.entries(GONE).filter(([name]) => env[name]?.trim());
  const values = Object.fromEntries(SETTING_NAMES.map((name) => [name, env[name]?.trim() || undefined]));
  const read = schema.safeParse(values);
  if (read.success && gone.length === 0) return read.data;
  const invalid = (read.error?.issues ?? []).map(({ path, message }) => {
    const name = String(path[0]);
    const value = env[name]?.trim();
    const shown = !value || SECRET_VARIABLES.has(name) ? '' : `, not ${JSON.stringify(value)}`;
    return `${name} ${message}${shown}.`;
  });
  throw new InvalidSettings([...gone.map(([name, advice]) => `${name} is gone. ${advice}.`), ...invalid]);
}

/** Why several processes cannot share a port; null when they can. */
function obstacleToSharing(database: DatabaseAddress, redisUrl: string | null): string | null {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  if (major < 22 || (major === 22 && minor < 12))
    return `on Node ${process.versions.node} (sharing a port needs Node 22.12 or later)`;
  if (database.kind === 'sqlite')
    return 'on SQLite (only one process may open its file; PostgreSQL with Redis takes several)';
  return redisUrl === null ? 'without REDIS_URL (a caller would get its limit from each process)' : null;
}

function text<T>(type: string, schema: z.ZodType<T, string>, range?: string): Kind<T> {
  return { schema, type, range };
}

function wholeNumber(min: number, max: number): Kind<number> {
  const schema = z
    .string()
    .refine(
      (digits) => /^\d{1,15}$/.test(digits) && Number(digits) >= min && Number(digits) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
  return { schema, type: 'whole number', range: `${min} to ${max}` };
}

function onOrOff(): Kind<boolean> {
  const { schema, range } = oneOf(['true', 'false']);
  return { schema: schema.transform((word) => word === 'true'), type: 'switch', range };
}

function quota(): Kind<number> {
  return wholeNumber(1, 1_000_000_000);
}

function milliseconds(min: number): Kind<number> {
  return { ...wholeNumber(min, MAX_TIMER_MS), type: 'milliseconds' };
}

/** At most a year. */
function seconds(): Kind<number> {
  return { ...wholeNumber(1, 31_536_000), type: 'seconds' };
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const error = `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  const schema = z.string().pipe(z.enum(choices, { error })) as unknown as z.ZodType<Choice, string>;
  return { schema, type: 'word', range: choices.map((choice) => `\`${choice}\``).join(', ') };
}

interface Addresses {
  readonly environment: 'production' | 'staging';
  readonly publicUrl: string | null;
  readonly stagingUrl: string | null;
}

/** Without `//`, with which a `Location` would name another server. */
const API_PATH = new RegExp(`^((?:/[\\w.~-]+)*)${API_VERSION}$`);

function apiUrl(): Kind<string> {
  const schema = z
    .string()
    .refine(
      (text) => {
        if (!hasProtocol(text, ['http:', 'https:'])) return false;
        const url = new URL(text);
        return (
          url.pathname.endsWith(API_VERSION) && url.search === '' && url.hash === '' && url.username === ''
        );
      },
      { error: `must be an http or https URL that ends in ${API_VERSION}`, abort: true },
    )
    .refine(
      (text) => API_PATH.test(new URL(text).pathname),
      'must have only letters, digits, ".", "_", "~" and "-" between the slashes of its path',
    );
  return { schema, type: 'URL', range: `ends in \`${API_VERSION}\`` };
}

/** Where callers reach this server, and the part of its path that a proxy removes. */
function addressOf({ environment, publicUrl, stagingUrl }: Addresses) {
  const ownUrl = environment === 'staging' ? (stagingUrl ?? publicUrl) : publicUrl;
  const publicPath = ownUrl === null ? '' : API_PATH.exec(new URL(ownUrl).pathname)![1]!;
  return { ownUrl, publicPath };
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function contact(): Kind<string> {
  const schema = z.string().refine(isContact, 'must be a mailto: or https: URL');
  return text('URL', schema, '`mailto:`, `https:`');
}

/** A contact of RFC 9116. A space or a line break would end it. */
function isContact(text: string): boolean {
  return hasProtocol(text, ['mailto:', 'https:']) && !/\s/.test(text);
}

function host(): Kind<string> {
  const isHost = (name: string) => isIP(name) !== 0 || /^[a-z\d]([a-z\d.-]{0,252})$/i.test(name);
  return text('host', z.string().refine(isHost, 'must be an IP address or a host name'));
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

function readDatabaseUrl(text: string, context: z.core.$RefinementCtx): DatabaseAddress {
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

type DatabaseAddress = SqliteAddress | PostgresAddress;

interface SqliteAddress {
  readonly kind: 'sqlite';
  readonly file: string;
}

interface PostgresAddress {
  readonly kind: 'postgres';
  /** Of the first host. */
  readonly url: string;
  /** The same database on further hosts. The service uses the host that is the primary. */
  readonly otherUrls: readonly string[];
}

/** What is before the hosts, the hosts, and what is after them. */
const POSTGRES_URL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
/** What libpq calls a server that takes writes. */
const PRIMARY_NAMES = ['primary', 'read-write'];

function readPostgresUrl(text: string, context: z.core.$RefinementCtx): PostgresAddress {
  const [, before = '', hosts = '', after = ''] = POSTGRES_URL.exec(text) ?? [];
  if (/^(:\d+)?$/.test(hosts) && before.endsWith('@'))
    return refuse(
      context,
      'must name a host before the database, as in postgres://user:password@localhost/database?host=/folder/of/the/socket, where the host of the query comes first',
    );
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

function checkRedisUrl(text: string, context: z.core.$RefinementCtx): string {
  try {
    readRedisUrl(text);
    return text;
  } catch (error) {
    if (!(error instanceof InvalidRedisUrl)) throw error;
    return refuse(context, error.message);
  }
}
