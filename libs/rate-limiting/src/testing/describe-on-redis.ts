import { hasFaketime, hasRedisServer } from './redis-server.js';

/** `describe` for tests that need Redis. */
export function describeOnRedis(name: string, tests: () => void): void {
  if (hasRedisServer()) describe(name, tests);
  // Nobody needs a Redis to work here; in CI a test fails when it is missing.
  else describe.skip(`${name}: there is no redis-server (Debian: apt-get install redis-server)`, tests);
}

/** `describe` for tests that set the clock of Redis. */
export function describeOnRedisWithClock(name: string, tests: () => void): void {
  if (hasFaketime()) describeOnRedis(name, tests);
  // Nobody needs faketime to work here; in CI a test fails when it is missing.
  else describe.skip(`${name}: there is no faketime (Debian: apt-get install faketime)`, tests);
}
