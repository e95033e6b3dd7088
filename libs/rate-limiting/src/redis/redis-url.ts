/** Says in `message` what the URL must be, without repeating it: it may contain a password. */
export class InvalidRedisUrl extends Error {
  override readonly name = 'InvalidRedisUrl';
}

export interface RedisHost {
  readonly host: string;
  readonly port: number;
}

interface Credentials {
  readonly username?: string;
  readonly password?: string;
}

/** What a URL names: one server, the primary that Sentinels know by a name, or a cluster. */
export type RedisAddress =
  | { readonly kind: 'server'; readonly url: string }
  | (Credentials & {
      readonly kind: 'sentinel';
      readonly tls: boolean;
      /** The Sentinels that report the primary. Further ones are discovered. */
      readonly hosts: readonly RedisHost[];
      readonly primary: string;
      readonly db: number;
      /** For the Sentinels: they have users of their own. */
      readonly sentinel: Credentials;
    })
  | (Credentials & {
      readonly kind: 'cluster';
      readonly tls: boolean;
      /** The nodes that report the others. */
      readonly hosts: readonly RedisHost[];
    });

const RULE =
  'must be redis://host:port, redis+sentinel://host:port,host:port/primary or redis+cluster://host:port,host:port, or begin with rediss for TLS, with special characters of a password percent-encoded';

/** The kind, the user and the password, the hosts, what is after them, and the options. */
const SEVERAL_HOSTS = /^rediss?\+(sentinel|cluster):\/\/([^/?#]*@)?([^/?#]+)([^?#]*)(\?[^#]*)?$/i;
/** How other clients spell a kind, or several hosts. A comma may also be in the password. */
const OTHER_SPELLING = /^rediss?-(sentinel|cluster):|^rediss?:\/\/(?:[^/?#]*@)?[^/?#@]*,(?![^/?#]*@)/i;
const DEFAULT_PORTS = { sentinel: 26_379, cluster: 6_379 };
const SENTINEL_OPTIONS = ['sentinel_username', 'sentinel_password'];

/** @throws InvalidRedisUrl */
export function readRedisUrl(url: string): RedisAddress {
  const [, requestedKind, user = '', hosts = '', path = '', query = ''] = SEVERAL_HOSTS.exec(url) ?? [];
  if (requestedKind === undefined) {
    if (OTHER_SPELLING.test(url))
      throw new InvalidRedisUrl('must begin with redis+sentinel: or redis+cluster: to name several hosts');
    if (!URL.canParse(url) || !['redis:', 'rediss:'].includes(new URL(url).protocol))
      throw new InvalidRedisUrl(RULE);
    return { kind: 'server', url };
  }
  const kind = requestedKind.toLowerCase() as 'sentinel' | 'cluster';
  const read = hosts.split(',').map((host) => `redis://${user}${host}`);
  if (!read.every((one) => URL.canParse(one) && new URL(one).hostname !== ''))
    throw new InvalidRedisUrl(RULE);
  const { username, password } = new URL(read[0]!);
  const common = {
    tls: /^rediss/i.test(url),
    hosts: read.map((one) => hostIn(new URL(one), DEFAULT_PORTS[kind])),
    ...credentials(decoded(username), decoded(password)),
  };
  const options = new URLSearchParams(query);
  const unknown = [...options.keys()].find((name) => kind === 'cluster' || !SENTINEL_OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new InvalidRedisUrl(
      `must not have the option ${JSON.stringify(unknown)}: only sentinel_username and sentinel_password of redis+sentinel: are known`,
    );
  if (kind === 'cluster') {
    if (!/^\/?0?$/.test(path))
      throw new InvalidRedisUrl('must not name a database: a Redis Cluster has only 0');
    return { kind, ...common };
  }
  const [, primary, db = '0'] = /^\/([^/]+)(?:\/(\d{1,6}))?$/.exec(path) ?? [];
  if (primary === undefined)
    throw new InvalidRedisUrl(
      'must say after the hosts how Sentinels name the primary, and may name a database, as in redis+sentinel://host:port,host:port/primary/0',
    );
  const sentinel = credentials(options.get('sentinel_username'), options.get('sentinel_password'));
  return { kind, ...common, primary: decoded(primary), db: Number(db), sentinel };
}

function hostIn({ hostname, port }: URL, defaultPort: number): RedisHost {
  // An IPv6 address is in brackets in a URL, and in none elsewhere.
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(port || defaultPort) };
}

function credentials(username: string | null, password: string | null): Credentials {
  return { ...(username && { username }), ...(password && { password }) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidRedisUrl(RULE);
  }
}
