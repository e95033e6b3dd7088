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
interface Setting<T = unknown> extends Omit<Kind<T>, 'schema'> {
  readonly name: string;
  readonly schema: z.ZodType<T>;
  readonly standard: string;
  /** Whether each replica may have a value of its own. Otherwise callers would notice which one responds. */
  readonly isOwn: boolean;
}

function setting<T>(
  name: string,
  { schema, ...kind }: Kind<T>,
  value: T,
  standard = String(value),
): Setting<T> {
  const withDefault = schema.default(value as never) as z.ZodType<T>;
  return { name, ...kind, schema: withDefault, standard, isOwn: false };
}

/** Unset, it is null. */
function optional<T>(name: string, { schema, ...kind }: Kind<T>, standard = ''): Setting<T | null> {
  const orNull = schema.optional().transform((value) => value ?? null);
  return { name, ...kind, schema: orNull, standard, isOwn: false };
}

const own = <S extends Setting>(one: S): S => ({ ...one, isOwn: true });

/** The two limits of a plan. */
const plan = <Name extends string>(name: Name, perMinute: number, perDay: number) => ({
  perMinute: setting(`${name}_PER_MINUTE`, quota(), perMinute),
  perDay: setting(`${name}_PER_DAY`, quota(), perDay),
});

/** In the order of the docs; `.env.example` says what each is for. */
const SETTINGS = {
  mode: setting('NODE_ENV', oneOf(['production', 'development', 'test']), 'development'),
  server: {
    port: own(setting('PORT', wholeNumber(0, 65_535), 3_000)),
    host: own(optional('HOST', host(), '127.0.0.1; in production 0.0.0.0')),
    reusePort: own(setting('REUSE_PORT', onOrOff(), false)),
    corsOrigins: setting('CORS_ORIGINS', text('origins', z.string().transform(readOrigins)), [], ''),
    /** The value of Express's `trust proxy`: false, the number of proxies in front, or their addresses. */
    trustProxy: setting(
      'TRUST_PROXY',
      text('proxies', z.string().transform(readTrustProxy), 'number, addresses'),
      false,
    ),
    maxConnections: own(setting('MAX_CONNECTIONS', wholeNumber(1, 1_000_000), 10_000)),
    maxStreams: own(setting('MAX_STREAMS', wholeNumber(1, 1_000_000), 1_000)),
    maxStreamsPerAccount: setting('MAX_STREAMS_PER_ACCOUNT', wholeNumber(1, 1_000_000), 10),
    headersTimeoutMs: own(setting('HEADERS_TIMEOUT_MS', milliseconds(1), 10_000)),
    requestTimeoutMs: own(setting('REQUEST_TIMEOUT_MS', milliseconds(1), 15_000)),
    // Longer than the 60 s after which common load balancers close an idle connection. The load balancer reuses
    // connections, so it must be the first to close them; otherwise requests are lost.
    keepAliveTimeoutMs: own(setting('KEEP_ALIVE_TIMEOUT_MS', milliseconds(1), 65_000)),
    bodyLimitBytes: setting('BODY_LIMIT_BYTES', wholeNumber(1, 16_777_216), 16_384),
    bodyMemoryBytes: own(setting('BODY_MEMORY_BYTES', wholeNumber(1, 1_099_511_627_776), 67_108_864)),
    uploadLimitBytes: setting('UPLOAD_LIMIT_BYTES', wholeNumber(1, 1_073_741_824), 1_048_576),
    shutdownDelayMs: own(setting('SHUTDOWN_DELAY_MS', milliseconds(0), 0)),
    shutdownGraceMs: own(setting('SHUTDOWN_GRACE_MS', milliseconds(0), 10_000)),
  },
  database: {
    address: setting<DatabaseAddress>(
      'DATABASE_URL',
      text('URL', z.string().transform(readDatabaseUrl), '`sqlite:…`, `postgres://…`'),
      { kind: 'sqlite', file: 'data/animal-store.db' },
      'sqlite:data/animal-store.db',
    ),
    lockTimeoutMs: own(setting('DATABASE_LOCK_TIMEOUT_MS', milliseconds(0), 2_000)),
    handoverTimeoutMs: own(setting('DATABASE_HANDOVER_TIMEOUT_MS', milliseconds(0), 0)),
    poolSize: own(setting('DATABASE_POOL_SIZE', wholeNumber(1, 1_000), 10)),
    queueSize: own(setting('DATABASE_QUEUE_SIZE', wholeNumber(1, 1_000_000), 2_000)),
    statementTimeoutMs: own(setting('DATABASE_STATEMENT_TIMEOUT_MS', milliseconds(1), 5_000)),
    connectTimeoutMs: own(setting('DATABASE_CONNECT_TIMEOUT_MS', milliseconds(1), 2_000)),
    migrationTimeoutMs: own(setting('DATABASE_MIGRATION_TIMEOUT_MS', milliseconds(1), 600_000)),
  },
  redis: {
    url: optional(
      'REDIS_URL',
      text('URL', z.string().transform(checkRedisUrl), '`redis://…`, `redis+sentinel://…`, …'),
    ),
    timeoutMs: own(setting('REDIS_TIMEOUT_MS', { ...wholeNumber(1, 10_000), type: 'milliseconds' }, 50)),
  },
  api: {
    environment: setting('API_ENVIRONMENT', oneOf(['production', 'staging']), 'production'),
    publicUrl: optional('PUBLIC_URL', apiUrl()),
    stagingUrl: optional('STAGING_URL', apiUrl()),
    supportUrl: optional('SUPPORT_URL', contact()),
    securityContact: optional('SECURITY_CONTACT', contact()),
  },
  rateLimits: {
    free: plan('FREE', 60, 1_000),
    pro: plan('PRO', 300, 10_000),
    business: plan('BUSINESS', 1_000, 100_000),
    ban: {
      minRefusals: setting('BAN_MIN_REFUSALS', quota(), 20),
      firstBanMs: seconds('BAN_FIRST_SECONDS', 60),
      memoryMs: seconds('BAN_MEMORY_SECONDS', 86_400),
      longestBanMs: seconds('BAN_LONGEST_SECONDS', 3_600),
    },
  },
  keys: { perAccount: setting('MAX_KEYS_PER_ACCOUNT', wholeNumber(1, 10_000), 100) },
  orders: { expiryDays: setting('ORDER_EXPIRY_DAYS', wholeNumber(0, 3_650), 0) },
  outgoing: { allowPrivate: setting('OUTGOING_ALLOW_PRIVATE', onOrOff(), false) },
  webhooks: {
    mostPending: setting('WEBHOOK_MAX_PENDING', wholeNumber(1, 1_000_000), 10_000),
    events: setting('EVENTS', oneOf(['subscribed', 'always']), 'subscribed'),
  },
  metrics: {
    port: own(optional('METRICS_PORT', wholeNumber(0, 65_535))),
    // Metrics are internal, so another address than loopback must be set.
    host: own(setting('METRICS_HOST', host(), '127.0.0.1')),
  },
  log: { level: own(setting('LOG_LEVEL', oneOf(LOG_LEVELS), 'info')) },
};

interface Tree {
  readonly [name: string]: Setting | Tree;
}

const isSetting = (part: Setting | Tree): part is Setting => part.schema instanceof z.ZodType;

function settingsIn(tree: Tree): Setting[] {
  return Object.values(tree).flatMap((part) => (isSetting(part) ? [part] : settingsIn(part)));
}

/** What the docs say of each setting. */
export const SETTING_FACTS: readonly Omit<Setting, 'schema'>[] = settingsIn(SETTINGS);

/** The names of all settings; `.env.example` documents each. */
export const SETTING_NAMES: readonly string[] = SETTING_FACTS.map(({ name }) => name);

type DeepReadonly<T> = T extends object ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> } : T;

type ValuesOf<T> = {
  readonly [Name in keyof T]: T[Name] extends Setting<infer Value> ? DeepReadonly<Value> : ValuesOf<T[Name]>;
};

type Read = ValuesOf<typeof SETTINGS>;

/** The value of each setting of the tree. What is wrong goes to `refuse`. */
function valuesOf<T extends Tree>(tree: T, env: NodeJS.ProcessEnv, refuse: Refuse): ValuesOf<T> {
  const values = Object.entries(tree).map(([name, part]) => {
    if (!isSetting(part)) return [name, valuesOf(part, env, refuse)] as const;
    const read = part.schema.safeParse(env[part.name]?.trim() || undefined);
    for (const { message } of read.error?.issues ?? []) refuse(part.name, message);
    return [name, read.data] as const;
  });
  return Object.fromEntries(values) as ValuesOf<T>;
}

type Refuse = (name: string, message: string) => void;

/** What settings must be together. */
function check({ mode, server, database, redis, rateLimits, outgoing, metrics }: Read, refuse: Refuse): void {
  // Node refuses to create a server when the request time-out is the shorter one.
  if (server.requestTimeoutMs < server.headersTimeoutMs)
    refuse('REQUEST_TIMEOUT_MS', 'must not be shorter than HEADERS_TIMEOUT_MS');
  if (rateLimits.ban.longestBanMs < rateLimits.ban.firstBanMs)
    refuse('BAN_LONGEST_SECONDS', 'must not be shorter than BAN_FIRST_SECONDS');
  if (metrics.port && metrics.port === server.port) refuse('METRICS_PORT', 'must differ from PORT');
  if (mode === 'production' && outgoing.allowPrivate)
    refuse(
      'OUTGOING_ALLOW_PRIVATE',
      'must be false in production, as any key could reach what only this host can reach',
    );
  const obstacle = server.reusePort ? obstacleToSharing(database.address, redis.url) : null;
  if (obstacle !== null) refuse('REUSE_PORT', `must be false ${obstacle}`);
}

function complete({ database, redis, server, api, ...read }: Read) {
  const { address, ...ofDatabase } = database;
  return {
    ...read,
    server: {
      ...server,
      // A development server listens only on loopback. In production a proxy or another host must reach the server.
      host: server.host ?? (read.mode === 'production' ? '0.0.0.0' : '127.0.0.1'),
    },
    database: { ...address, ...ofDatabase, applicationName: SERVICE },
    redis: redis.url === null ? null : { url: redis.url, timeoutMs: redis.timeoutMs },
    api: { ...api, keyPrefix: KEY_PREFIXES[api.environment], ...addressOf(api) },
  };
}

type Values = ReturnType<typeof complete>;

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

/**
 * Reads the settings from `env`. An unset or empty variable has its default value.
 * @throws InvalidSettings with one line for each invalid variable
 */
export function loadSettings(env: NodeJS.ProcessEnv): Settings {
  const problems: string[] = [];
  const refuse: Refuse = (name, message) => {
    const value = env[name]?.trim();
    const shown = !value || SECRET_VARIABLES.has(name) ? '' : `, not ${JSON.stringify(value)}`;
    problems.push(`${name} ${message}${shown}.`);
  };
  const read = valuesOf(SETTINGS, env, refuse);
  if (problems.length === 0) check(read, refuse);
  if (problems.length > 0) throw new InvalidSettings(problems);
  return complete(read);
}

/** Why several processes cannot share a port; null when they can. */
function obstacleToSharing(database: DatabaseAddress, redisUrl: string | null): string | null {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  if (major < 22 || (major === 22 && minor < 12))
    return `on Node ${process.versions.node} (sharing a port needs Node 22.12 or later)`;
  if (database.kind === 'sqlite')
    return 'on SQLite (only one process may open its file; several need PostgreSQL and Redis)';
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
  return { schema, type: 'whole number', range: `${min}–${max}` };
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

/** Read as milliseconds; at most a year. */
function seconds(name: string, value: number): Setting<number> {
  const { schema, range } = wholeNumber(1, 31_536_000);
  const inMs = schema.transform((count) => count * 1_000);
  return setting(name, { schema: inMs, type: 'seconds', range }, value * 1_000, String(value));
}

function oneOf<const Choice extends string>(choices: readonly Choice[]): Kind<Choice> {
  const error = `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
  const schema = z.string().pipe(z.enum(choices, { error })) as unknown as z.ZodType<Choice, string>;
  return { schema, type: 'word', range: choices.map((choice) => `\`${choice}\``).join(', ') };
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
function addressOf({ environment, publicUrl, stagingUrl }: Read['api']) {
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
  /** The URL of the first host. */
  readonly url: string;
  /** The same database on further hosts. The service uses the host that is the primary. */
  readonly otherUrls: readonly string[];
}

/** What is before the hosts, the hosts, and what is after them. */
const POSTGRES_URL = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/;
/** What libpq calls a server that accepts writes. */
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
