import { InvalidRedisUrl, readRedisUrl } from './redis-url.js';

describe('The URL of a Redis', () => {
  it.each(['redis://cache', 'rediss://:hunter2@cache:6380/1', 'redis://:hunter,2@cache:6379'])(
    'names one server as the client reads it: %s',
    (url) => {
      expect(readRedisUrl(url)).toEqual({ kind: 'server', url });
    },
  );

  it('names the nodes of a cluster', () => {
    expect(readRedisUrl('redis+cluster://10.0.0.1:7000,[::1]:7001,cache')).toEqual({
      kind: 'cluster',
      tls: false,
      hosts: [
        { host: '10.0.0.1', port: 7000 },
        { host: '::1', port: 7001 },
        { host: 'cache', port: 6379 },
      ],
    });
  });

  it('names the Sentinels, the primary as they name it, and the database', () => {
    expect(readRedisUrl('redis+sentinel://s1,s2:26380/the%20store/2')).toEqual({
      kind: 'sentinel',
      tls: false,
      hosts: [
        { host: 's1', port: 26379 },
        { host: 's2', port: 26380 },
      ],
      primary: 'the store',
      db: 2,
      sentinel: {},
    });
  });

  it('has the user and the password, other ones for Sentinels, and TLS', () => {
    const url = 'rediss+sentinel://anna:a%2Cb@s1/store?sentinel_username=guard&sentinel_password=c%26d';
    expect(readRedisUrl(url)).toMatchObject({
      tls: true,
      username: 'anna',
      password: 'a,b',
      db: 0,
      sentinel: { username: 'guard', password: 'c&d' },
    });
    expect(readRedisUrl('rediss+cluster://:hunter,2@n1,n2/0')).toMatchObject({
      tls: true,
      password: 'hunter,2',
      hosts: [{ host: 'n1' }, { host: 'n2' }],
    });
  });

  it.each([
    ['http://cache', /^must be redis:\/\/host:port, /],
    ['redis+cluster://', /^must be redis:/],
    ['redis+cluster://a,,b', /^must be redis:/],
    ['redis+cluster://a:70000', /^must be redis:/],
    ['redis+cluster://:50%@a', /^must be redis:/],
    ['redis+cluster://a,b/1', /^must not name a database/],
    ['redis+cluster://a?replicas=1', /^must not have the option "replicas"/],
    ['redis+sentinel://s1,s2', /^must say after the hosts how Sentinels name the primary/],
    ['redis+sentinel://s1/store/zero', /^must say after the hosts/],
    ['redis+sentinel://s1/store?timeout=1', /^must not have the option "timeout"/],
    ['redis-sentinel://s1/0?sentinelMasterId=store', /^must begin with redis\+sentinel: or redis\+cluster:/],
    ['rediss-cluster://a', /^must begin with/],
    ['redis://:hunter2@a:6379,b', /^must begin with/],
  ])('is refused with what it must be: %s', (url, message) => {
    expect(() => readRedisUrl(url)).toThrow(InvalidRedisUrl);
    expect(() => readRedisUrl(url)).toThrow(message);
  });
});
