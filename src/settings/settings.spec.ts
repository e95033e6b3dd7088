import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { loadSettings, SETTING_NAMES } from './settings.js';

function complaintsAbout(env: NodeJS.ProcessEnv): string[] {
  try {
    loadSettings(env);
  } catch (error) {
    return (error as Error).message.split('\n');
  }
  return [];
}

describe('loadSettings', () => {
  it('reads seconds as milliseconds', () => {
    expect(loadSettings({}).rateLimits.ban).toEqual({
      minRefusals: 20,
      firstBanMs: 60_000,
      memoryMs: 86_400_000,
      longestBanMs: 3_600_000,
    });
  });

  it('has no other origins, Redis or metrics, and listens on loopback, unless variables say so', () => {
    const { server, redis, metrics } = loadSettings({});
    expect([server.corsOrigins, server.host, redis, metrics.port]).toEqual([[], '127.0.0.1', null, null]);
  });

  it('takes an empty or blank variable for an unset one', () => {
    expect(loadSettings({ PORT: '', LOG_LEVEL: '  ', REDIS_URL: '' })).toEqual(loadSettings({}));
  });

  it('listens on all interfaces in production unless HOST says otherwise', () => {
    expect(loadSettings({ NODE_ENV: 'production' }).server.host).toBe('0.0.0.0');
    expect(loadSettings({ NODE_ENV: 'production', HOST: '10.0.0.7' }).server.host).toBe('10.0.0.7');
  });

  it('reads where it runs: the public address, and the environment, to which the key prefix is tied', () => {
    const PUBLIC_URL = 'https://api.store.example/v1';
    expect(loadSettings({ PUBLIC_URL }).api.publicUrl).toBe(PUBLIC_URL);
    expect(loadSettings({ API_ENVIRONMENT: 'staging' }).api.keyPrefix).toBe('ask_test_');
  });

  it.each([
    ['production', '/store'],
    ['staging', '/try/it.out'],
  ])('reads which path a proxy removes, in %s', (API_ENVIRONMENT, path) => {
    const urls = { PUBLIC_URL: 'https://a.example/store/v1', STAGING_URL: 'https://b.example/try/it.out/v1' };
    expect(loadSettings({ ...urls, API_ENVIRONMENT }).api.publicPath).toBe(path);
    expect(loadSettings({ API_ENVIRONMENT }).api.publicPath).toBe('');
  });

  it.each([
    'https://a.example//b.example/v1',
    'https://a.example/"x"/v1',
    'https://a.example/%2f/v1',
    'https://a.example/x//v1',
  ])('refuses %s, whose path would be another one in a link', (PUBLIC_URL) => {
    expect(() => loadSettings({ PUBLIC_URL })).toThrow(/^PUBLIC_URL must have only letters/);
  });

  it('reads PostgreSQL and Redis with their pool and time-outs', () => {
    const settings = loadSettings({
      DATABASE_URL: 'postgres://store:secret@db:5432/store',
      DATABASE_POOL_SIZE: '4',
      REDIS_URL: 'redis://cache:6379',
      REDIS_TIMEOUT_MS: '25',
    });
    expect(settings.database).toMatchObject({
      kind: 'postgres',
      url: 'postgres://store:secret@db:5432/store',
      otherUrls: [],
      poolSize: 4,
    });
    expect(settings.redis).toEqual({ url: 'redis://cache:6379', timeoutMs: 25 });
  });

  it('reads several hosts of one PostgreSQL database', () => {
    const url = 'postgres://store:p%2C@db1:5432,db2,[::1]:5434/store?target_session_attrs=read-write';
    expect(loadSettings({ DATABASE_URL: url }).database).toMatchObject({
      url: 'postgres://store:p%2C@db1:5432/store?target_session_attrs=read-write',
      otherUrls: [
        'postgres://store:p%2C@db2/store?target_session_attrs=read-write',
        'postgres://store:p%2C@[::1]:5434/store?target_session_attrs=read-write',
      ],
    });
  });

  it.each([
    ['?target_session_attrs=any', /^DATABASE_URL must have target_session_attrs=primary or none: /],
    [
      '?target_session_attrs=prefer-standby',
      /^DATABASE_URL must have target_session_attrs=primary or none: /,
    ],
    ['?host=db1,db2', /^DATABASE_URL must name several hosts before the database, /],
  ])('refuses a PostgreSQL URL with %s', (query, complaint) => {
    expect(complaintsAbout({ DATABASE_URL: `postgres://u:hunter2@db/store${query}` })).toEqual([
      expect.stringMatching(complaint),
    ]);
  });

  it.each(['/store?host=/cloudsql/project:region:instance', ':5432/store?host=%2Fvar%2Frun', '/store'])(
    'says how to write a PostgreSQL URL without a host, such as that of a socket: %s',
    (rest) => {
      const [complaint] = complaintsAbout({ DATABASE_URL: `postgres://u:hunter2@${rest}` });
      expect(complaint).toBe(
        'DATABASE_URL must name a host before the database, as in postgres://user:password@localhost/database?host=/folder/of/the/socket, where the host of the query comes first.',
      );
      const url = `postgres://u:hunter2@localhost${rest}`;
      expect(loadSettings({ DATABASE_URL: url }).database).toMatchObject({ kind: 'postgres', url });
    },
  );

  it.each([
    ['sqlite:/var/lib/store.db', '/var/lib/store.db'],
    ['sqlite:///var/lib/store.db', '/var/lib/store.db'],
    ['sqlite:./store.db', './store.db'],
  ])('reads %s as the file %s', (url, file) => {
    expect(loadSettings({ DATABASE_URL: url }).database).toMatchObject({ kind: 'sqlite', file });
  });

  it.each([
    ['false', false],
    ['0', false],
    ['true', 1],
    ['2', 2],
    ['loopback, 10.0.0.0/8, fd00::1', ['loopback', '10.0.0.0/8', 'fd00::1']],
  ])('reads TRUST_PROXY=%s', (text, trustProxy) => {
    expect(loadSettings({ TRUST_PROXY: text }).server.trustProxy).toEqual(trustProxy);
  });

  it('spells origins as browsers do', () => {
    expect(
      loadSettings({ CORS_ORIGINS: 'https://Shop.example:443/, http://localhost:5173' }).server.corsOrigins,
    ).toEqual(['https://shop.example', 'http://localhost:5173']);
  });

  it.each([
    [{ PORT: 'abc' }, 'PORT must be a whole number from 0 to 65535, not "abc".'],
    [{ PORT: '65536' }, 'PORT must be a whole number from 0 to 65535, not "65536".'],
    [{ PORT: '-1' }, 'PORT must be a whole number from 0 to 65535, not "-1".'],
    [{ FREE_PER_MINUTE: '0' }, 'FREE_PER_MINUTE must be a whole number from 1 to 1000000000, not "0".'],
    [{ NODE_ENV: 'prod' }, 'NODE_ENV must be production, development or test, not "prod".'],
    [{ API_ENVIRONMENT: 'live' }, 'API_ENVIRONMENT must be production or staging, not "live".'],
    [{ HOST: 'http://x' }, 'HOST must be an IP address or a host name, not "http://x".'],
    [
      { CORS_ORIGINS: '*,https://shop.example/path' },
      'CORS_ORIGINS must be a comma-separated list of origins such as https://shop.example, not "*,https://shop.example/path".',
    ],
    [
      { TRUST_PROXY: '10.0.0.0/33' },
      'TRUST_PROXY must be false, the number of proxies in front, or a comma-separated list of their addresses and subnets, not "10.0.0.0/33".',
    ],
    [
      { PUBLIC_URL: 'https://api.store.example' },
      'PUBLIC_URL must be an http or https URL that ends in /v1, not "https://api.store.example".',
    ],
    [
      { SUPPORT_URL: 'javascript:alert(1)' },
      'SUPPORT_URL must be a mailto: or https: URL, not "javascript:alert(1)".',
    ],
    [
      { SECURITY_CONTACT: 'security@store.example' },
      'SECURITY_CONTACT must be a mailto: or https: URL, not "security@store.example".',
    ],
    [
      { SECURITY_CONTACT: 'mailto:a@store.example\nContact: mailto:b@store.example' },
      'SECURITY_CONTACT must be a mailto: or https: URL, not "mailto:a@store.example\\nContact: mailto:b@store.example".',
    ],
    [
      { HEADERS_TIMEOUT_MS: '20000', REQUEST_TIMEOUT_MS: '15000' },
      'REQUEST_TIMEOUT_MS must not be shorter than HEADERS_TIMEOUT_MS, not "15000".',
    ],
    [
      { BAN_FIRST_SECONDS: '7200', BAN_LONGEST_SECONDS: '3600' },
      'BAN_LONGEST_SECONDS must not be shorter than BAN_FIRST_SECONDS, not "3600".',
    ],
    [{ PORT: '9000', METRICS_PORT: '9000' }, 'METRICS_PORT must differ from PORT, not "9000".'],
    [
      { DATABASE_URL: 'sqlite::memory:' },
      'DATABASE_URL must name a file: a database in memory cannot be read by a second connection and loses its data on exit.',
    ],
    [
      { REDIS_URL: 'http://:hunter2@cache' },
      'REDIS_URL must be redis://host:port, redis+sentinel://host:port,host:port/primary or redis+cluster://host:port,host:port, or begin with rediss for TLS, with special characters of a password percent-encoded.',
    ],
  ])('refuses %j', (env, complaint) => {
    expect(complaintsAbout(env)).toEqual([complaint]);
  });

  it.each([
    'mysql://u:hunter2@db/x',
    'postgres://u:hunter/2@db/x',
    'postgres://u:hunter2@db1:5432,/x',
    'postgres://u:hunter2@db1:5432,db2:port/x',
    'sqlite:',
    'sqlite://hunter2.db',
    'hunter2',
  ])('refuses DATABASE_URL=%s without repeating it', (url) => {
    const complaints = complaintsAbout({ DATABASE_URL: url });
    expect(complaints).toEqual([expect.stringMatching(/^DATABASE_URL must be /)]);
    expect(complaints[0]).not.toContain('hunter');
  });

  const SEVERAL_NEED = { DATABASE_URL: 'postgres://u@db/x', REDIS_URL: 'redis://cache' };

  describe('REUSE_PORT', () => {
    const versions = Object.getOwnPropertyDescriptor(process, 'versions')!;
    const onNode = (node: string) =>
      Object.defineProperty(process, 'versions', { ...versions, value: { node } });

    afterEach(() => Object.defineProperty(process, 'versions', versions));

    it.each(['22.12.0', '22.13.1', '24.0.0'])('shares the port on Node %s', (node) => {
      onNode(node);
      expect(loadSettings({ ...SEVERAL_NEED, REUSE_PORT: 'true' }).server.reusePort).toBe(true);
    });

    it.each([
      ['20.20.2', {}, 'on Node 20.20.2 (sharing a port needs Node 22.12 or later)'],
      ['22.11.0', {}, 'on Node 22.11.0 (sharing a port needs Node 22.12 or later)'],
      [
        '24.0.0',
        { DATABASE_URL: '' },
        'on SQLite (only one process may open its file; several need PostgreSQL and Redis)',
      ],
      ['24.0.0', { REDIS_URL: '' }, 'without REDIS_URL (a caller would get its limit from each process)'],
    ])('is refused on Node %s with %j', (node, env, complaint) => {
      onNode(node);
      expect(complaintsAbout({ ...SEVERAL_NEED, ...env, REUSE_PORT: 'true' })).toEqual([
        `REUSE_PORT must be false ${complaint}, not "true".`,
      ]);
    });

    it('is true or false', () => {
      expect(complaintsAbout({ REUSE_PORT: 'yes' })).toEqual([
        'REUSE_PORT must be true or false, not "yes".',
      ]);
    });
  });

  it('allows requests to private addresses only outside of production', () => {
    expect(loadSettings({ OUTGOING_ALLOW_PRIVATE: 'true' }).outgoing.allowPrivate).toBe(true);
    expect(complaintsAbout({ NODE_ENV: 'production', OUTGOING_ALLOW_PRIVATE: 'true' })).toEqual([
      'OUTGOING_ALLOW_PRIVATE must be false in production, as any key could reach what only this host can reach, not "true".',
    ]);
  });

  it('names every bad setting, one line each', () => {
    expect(complaintsAbout({ PORT: 'x\ny', LOG_LEVEL: 'loud' })).toEqual([
      'PORT must be a whole number from 0 to 65535, not "x\\ny".',
      'LOG_LEVEL must be fatal, error, warn, info, debug, trace or silent, not "loud".',
    ]);
  });
});

describe('.env.example', () => {
  const example = parseEnv(readFileSync(join(__dirname, '../../.env.example'), 'utf8')) as NodeJS.ProcessEnv;

  it('lists every setting', () => {
    expect(Object.keys(example).sort()).toEqual([...SETTING_NAMES].sort());
  });

  it('shows the defaults', () => {
    expect(loadSettings(example)).toEqual(loadSettings({}));
  });
});
