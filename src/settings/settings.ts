import { isIP } from 'node:net';
import { InvalidRedisUrl, readRedisUrl } from '@animal-store/rate-limiting';
import { z } from 'zod';
import { KEY_PREFIXES, SERVICE } from '../version.js';

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

/** The longest delay that setTimeout accepts. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The variable that each setting is read from. */
const variables = new WeakMap<object, string>();

function from<Schema extends z.ZodType>(variable: string, schema: Schema): Schema {
  variables.set(schema, variable);
  return schema;
}

const server = z
  .object({
    /** 0 takes any free port. */
    port: from('PORT', wholeNumber(0, 65_535).default(3000)),
    host: from('HOST', host().optional()),
    /** Whether other processes of this machine may listen on the port too. The kernel gives each connection to one. */
    reusePort: from('REUSE_PORT', onOrOff(false)),
    corsOrigins: from('CORS_ORIGINS', z.string().transform(readOrigins).default([])),
    /** The value of Express's `trust proxy`: false, the number of proxies in front, or their addresses. */
    trustProxy: from('TRUST_PROXY', z.string().transform(readTrustProxy).default(false)),
    maxConnections: from('MAX_CONNECTIONS', wholeNumber(1, 1_000_000).default(10_000)),
    /** Responses that handlers hold open: in all, and of one key. */
    maxStreams: from('MAX_STREAMS', wholeNumber(1, 1_000_000).default(1_000)),
    maxStreamsPerKey: from('MAX_STREAMS_PER_KEY', wholeNumber(1, 1_000_000).default(10)),
    headersTimeoutMs: from('HEADERS_TIMEOUT_MS', milliseconds(1, 10_000)),
    requestTimeoutMs: from('REQUEST_TIMEOUT_MS', milliseconds(1, 15_000)),
    // Longer than the 60 s after which common load balancers close an idle connection. The load balancer reuses
    // connections, so it must be the first to close them; otherwise requests are lost.
    keepAliveTimeoutMs: from('KEEP_ALIVE_TIMEOUT_MS', milliseconds(1, 65_000)),
    bodyLimitBytes: from('BODY_LIMIT_BYTES', wholeNumber(1, 16_777_216).default(16_384)),
    /** For the bodies of operations with a limit of their own, together. One key may have a quarter, or one body. */
    bodyMemoryBytes: from('BODY_MEMORY_BYTES', wholeNumber(1, 1_099_511_627_776).default(67_108_864)),
    /** Of a file in a form, for modules that take files. */
    uploadLimitBytes: from('UPLOAD_LIMIT_BYTES', wholeNumber(1, 1_073_741_824).default(1_048_576)),
    /** How long the server still accepts requests after SIGTERM, while it is not ready. */
    shutdownDelayMs: from('SHUTDOWN_DELAY_MS', milliseconds(0, 0)),
    shutdownGraceMs: from('SHUTDOWN_GRACE_MS', milliseconds(0, 10_000)),
  })
  // Node refuses to create a server when the request time-out is the shorter one.
  .refine(({ requestTimeoutMs, headersTimeoutMs }) => requestTimeoutMs >= headersTimeoutMs, {
    path: ['requestTimeoutMs'],
    error: 'must not be shorter than HEADERS_TIMEOUT_MS',
  });

const sqlite = z.object({
  /** How long a write waits while another process writes. */
  lockTimeoutMs: from('DATABASE_LOCK_TIMEOUT_MS', milliseconds(0, 2_000)),
  /** How long a starting server waits for the previous one to release the file. */
  handoverTimeoutMs: from('DATABASE_HANDOVER_TIMEOUT_MS', milliseconds(0, 0)),
});

const postgres = z.object({
  poolSize: from('DATABASE_POOL_SIZE', wholeNumber(1, 1_000).default(10)),
  /** How many reads, and how many writes, may wait for a connection of the pool. */
  queueSize: from('DATABASE_QUEUE_SIZE', wholeNumber(1, 1_000_000).default(2_000)),
  statementTimeoutMs: from('DATABASE_STATEMENT_TIMEOUT_MS', milliseconds(1, 5_000)),
  connectTimeoutMs: from('DATABASE_CONNECT_TIMEOUT_MS', milliseconds(1, 2_000)),
  /** How long a starting server tries to get the locks of a migration. */
  migrationTimeoutMs: from('DATABASE_MIGRATION_TIMEOUT_MS', milliseconds(1, 600_000)),
});

const database = z.object({
  address: from(
    'DATABASE_URL',
    z.string().transform(readDatabaseUrl).default({ kind: 'sqlite', file: 'data/animal-store.db' }),
  ),
  sqlite,
  postgres,
});

const api = z.object({
  environment: from('API_ENVIRONMENT', oneOf(['production', 'staging']).default('production')),
  /** When null, the OpenAPI document names only the server that serves it. */
  publicUrl: from('PUBLIC_URL', orNull(apiUrl())),
  stagingUrl: from('STAGING_URL', orNull(apiUrl())),
  /** Where to report a vulnerability; null serves no `/.well-known/security.txt`. */
  securityContact: from(
    'SECURITY_CONTACT',
    orNull(z.string().refine(isContact, 'must be a mailto: or https: URL')),
  ),
});

const rateLimits = z.object({
  free: planLimits('FREE', 60, 1_000),
  pro: planLimits('PRO', 300, 10_000),
  business: planLimits('BUSINESS', 1_000, 100_000),
  ban: z
    .object({
      minRefusals: from('BAN_MIN_REFUSALS', quota(20)),
      firstBanMs: from('BAN_FIRST_SECONDS', seconds(60)),
      /** How long a ban is remembered: a ban within this time doubles. */
      memoryMs: from('BAN_MEMORY_SECONDS', seconds(86_400)),
      longestBanMs: from('BAN_LONGEST_SECONDS', seconds(3_600)),
    })
    .refine(({ longestBanMs, firstBanMs }) => longestBanMs >= firstBanMs, {
      path: ['longestBanMs'],
      error: 'must not be shorter than BAN_FIRST_SECONDS',
    }),
});

const sections = {
  mode: from('NODE_ENV', oneOf(['production', 'development', 'test']).default('development')),
  server,
  database,
  redis: z.object({
    url: from('REDIS_URL', orNull(z.string().transform(checkRedisUrl))),
    timeoutMs: from('REDIS_TIMEOUT_MS', wholeNumber(1, 10_000).default(50)),
  }),
  api,
  rateLimits,
  keys: z.object({
    /** How many active keys an account may make itself, and how many new ones a day. */
    perAccount: from('MAX_KEYS_PER_ACCOUNT', wholeNumber(1, 10_000).default(100)),
  }),
  orders: z.object({
    /** How long an order may stay open; 0 for ever. */
    expiryDays: from('ORDER_EXPIRY_DAYS', wholeNumber(0, 3_650).default(0)),
  }),
  outgoing: z.object({
    /** Whether requests to others, such as webhooks, may go to private addresses, to any port, and without TLS. */
    allowPrivate: from('OUTGOING_ALLOW_PRIVATE', onOrOff(false)),
  }),
  metrics: z.object({
    port: from('METRICS_PORT', orNull(wholeNumber(0, 65_535))),
    // Nobody outside may read them, so they are on another address only when the operator says so.
    host: from('METRICS_HOST', host().default('127.0.0.1')),
  }),
  log: z.object({ level: from('LOG_LEVEL', oneOf(LOG_LEVELS).default('info')) }),
};

const schema = z
  .object(sections)
  .refine(({ metrics, server }) => !metrics.port || metrics.port !== server.port, {
    path: ['metrics', 'port'],
    error: 'must differ from PORT',
  })
  .refine(({ mode, outgoing }) => mode !== 'production' || !outgoing.allowPrivate, {
    path: ['outgoing', 'allowPrivate'],
    error: 'must be false in production, as whoever has a key could reach what only this host can reach',
  })
  .superRefine(({ server, database, redis }, context) => {
    if (!server.reusePort) return;
    const refuse = (message: string) =>
      context.addIssue({
        code: 'custom',
        path: ['server', 'reusePort'],
        message: `must be false ${message}`,
      });
    if (!canReusePort())
      refuse(`on Node ${process.versions.node} (sharing a port needs Node 22.12 or later)`);
    else if (database.address.kind === 'sqlite')
      refuse('on SQLite (only one process may open its file; PostgreSQL with Redis takes several)');
    else if (redis.url === null) refuse('without REDIS_URL (a caller would get its limit from each process)');
  })
  .transform(
    ({ server, database: { address, sqlite, postgres }, redis: { url, timeoutMs }, api, ...values }) => ({
      ...values,
      server: {
        ...server,
        // A development server listens only on loopback. In production a proxy or another host must reach the server.
        host: server.host ?? (values.mode === 'production' ? '0.0.0.0' : '127.0.0.1'),
      },
      database:
        address.kind === 'sqlite'
          ? { ...address, ...sqlite }
          : { ...address, ...postgres, applicationName: SERVICE },
      redis: url === null ? null : { url, timeoutMs },
      api: { ...api, ...addressOf(api), keyPrefix: KEY_PREFIXES[api.environment] },
    }),
  );

/** Whether this Node can share a port. */
function canReusePort(): boolean {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  return major > 22 || (major === 22 && minor >= 12);
}

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
  abstract readonly metrics: Values['metrics'];
  abstract readonly log: Values['log'];
}

/** A schema that is no setting itself has more of them. */
type Shape = Readonly<Record<string, z.ZodType>>;
const fieldsOf = (part: z.ZodType) => (part as z.ZodObject).shape as Shape;

/** The variable of each setting, by its place. */
const VARIABLES = new Map(variablesIn(sections));

/** The names of all settings; `.env.example` documents each. */
export const SETTING_NAMES: readonly string[] = [...VARIABLES.values()];

function variablesIn(shape: Shape, place = ''): [place: string, variable: string][] {
  return Object.entries(shape).flatMap(([name, part]) => {
    const variable = variables.get(part);
    return variable === undefined
      ? variablesIn(fieldsOf(part), `${place}${name}.`)
      : [[place + name, variable]];
  });
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
  const read = schema.safeParse(valuesIn(sections, env));
  if (read.success && gone.length === 0) return read.data;
  const invalid = (read.error?.issues ?? []).map(({ path, message }) => {
    const name = VARIABLES.get(path.join('.'))!;
    const value = env[name]?.trim();
    const shown = !value || SECRET_VARIABLES.has(name) ? '' : `, not ${JSON.stringify(value)}`;
    return `${name} ${message}${shown}.`;
  });
  throw new InvalidSettings([...gone.map(([name, advice]) => `${name} is gone. ${advice}.`), ...invalid]);
}

/** The values in `env`, each at the place of its setting. */
function valuesIn(shape: Shape, env: NodeJS.ProcessEnv): object {
  const entries = Object.entries(shape).map(([name, part]): [string, unknown] => {
    const variable = variables.get(part);
    return [
      name,
      variable === undefined ? valuesIn(fieldsOf(part), env) : env[variable]?.trim() || undefined,
    ];
  });
  return Object.fromEntries(entries);
}

function planLimits(plan: string, perMinute: number, perDay: number) {
  return z.object({
    perMinute: from(`${plan}_PER_MINUTE`, quota(perMinute)),
    perDay: from(`${plan}_PER_DAY`, quota(perDay)),
  });
}

/** An unset one is null. */
function orNull<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().transform((value) => value ?? null);
}

function wholeNumber(min: number, max: number) {
  return z
    .string()
    .refine(
      (text) => /^\d{1,15}$/.test(text) && Number(text) >= min && Number(text) <= max,
      `must be a whole number from ${min} to ${max}`,
    )
    .transform(Number);
}

function onOrOff(normal: boolean) {
  return oneOf(['true', 'false'])
    .transform((text) => text === 'true')
    .default(normal);
}

function quota(normal: number) {
  return wholeNumber(1, 1_000_000_000).default(normal);
}

function milliseconds(min: number, normal: number) {
  return wholeNumber(min, LONGEST_TIMER_MS).default(normal);
}

/** In milliseconds; at most a year. */
function seconds(normal: number) {
  return wholeNumber(1, 31_536_000)
    .transform((count) => count * 1_000)
    .default(normal * 1_000);
}

function oneOf<const Choice extends string>(choices: readonly Choice[]) {
  return z.enum(choices, { error: `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}` });
}

interface Addresses {
  readonly environment: 'production' | 'staging';
  readonly publicUrl: string | null;
  readonly stagingUrl: string | null;
}

/** Without `//`, with which a `Location` would name another server. */
const API_PATH = /^((?:\/[\w.~-]+)*)\/v1$/;

function apiUrl() {
  return z
    .string()
    .refine(
      (text) => {
        if (!hasProtocol(text, ['http:', 'https:'])) return false;
        const url = new URL(text);
        return url.pathname.endsWith('/v1') && url.search === '' && url.hash === '' && url.username === '';
      },
      { error: 'must be an http or https URL that ends in /v1', abort: true },
    )
    .refine(
      (text) => API_PATH.test(new URL(text).pathname),
      'must have only letters, digits, ".", "_", "~" and "-" between the slashes of its path',
    );
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

/** A contact of RFC 9116. A space or a line break would end it. */
function isContact(text: string): boolean {
  return hasProtocol(text, ['mailto:', 'https:']) && !/\s/.test(text);
}

function host() {
  const isHost = (text: string) => isIP(text) !== 0 || /^[a-z\d]([a-z\d.-]{0,252})$/i.test(text);
  return z.string().refine(isHost, 'must be an IP address or a host name');
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

function readDatabaseUrl(text: string, context: z.core.$RefinementCtx): SqliteAddress | PostgresAddress {
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
