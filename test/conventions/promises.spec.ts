import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';

const ROOT = resolve(__dirname, '../..');

const REPLICAS = 'test/process/replicas.e2e-spec.ts';
const OUTAGE = 'test/e2e/storage-outage.e2e-spec.ts';
const START = 'test/process/start.e2e-spec.ts';
const POSTGRES = 'libs/database/src/postgres/postgres-database.spec.ts';
const LOST_STATEMENTS = 'libs/database/src/postgres/connections/lost-statements.spec.ts';
const POOLER = 'libs/database/src/postgres/connections/pooler.spec.ts';
const CONNECTIONS = 'libs/database/src/postgres/connections/connections.spec.ts';
const FAILURES = 'libs/operations/src/logging/failure-log.spec.ts';
const OPERATIONS = 'libs/operations/src/operations.module.spec.ts';
const GROUPED = 'libs/database/src/postgres/shared-statements/inserts.spec.ts';
const ROUND_TRIPS = 'libs/database/src/postgres/round-trip.spec.ts';
const SQLITE = 'libs/database/src/sqlite/sqlite-database.spec.ts';
const KILLED = 'test/process/durability.e2e-spec.ts';
const LOG = 'libs/database/src/sqlite/damaged-files.spec.ts';
const VANISHED = 'libs/database/src/postgres/connections/vanished-hosts.spec.ts';

/** The tests of each row of the table in the guide for incidents, "When something is gone", and each sentence below. */
const HELD_BY: Record<string, [file: string, test: string][]> = {
  'Redis, or slower than `REDIS_TIMEOUT_MS`': [
    [
      REPLICAS,
      'each limit on their own when Redis is killed under load, and together again within 5 s of its return',
    ],
    [REPLICAS, 'let no request wait for Redis when it has stopped responding'],
  ],
  'Redis is a read-only replica, after a fail-over': [
    [
      REPLICAS,
      'each limit on their own while Redis is a read-only replica, and together again within 5 s of its promotion',
    ],
  ],
  'a primary of a Redis Cluster': [
    [
      'libs/rate-limiting/src/redis/cluster-rate-limits.spec.ts',
      'limits only the subjects of a killed primary locally, from the counts it saw, until a replica has replaced it',
    ],
  ],
  'the primary that Sentinels know': [
    [
      'libs/rate-limiting/src/redis/sentinel-rate-limits.spec.ts',
      'limits locally when the primary is killed, and continues from the counts of the replica that takes over',
    ],
  ],
  'PostgreSQL, or the network to it: refused, stalled, or a hot standby': [
    [REPLICAS, 'respond with 503 while PostgreSQL is down, and recover without a restart when it is back'],
    [
      POSTGRES,
      'refuses everything at once when PostgreSQL stalls, after the first has waited, and recovers when it continues',
    ],
    [REPLICAS, 'are not ready, and serve no old rows, while PostgreSQL is a hot standby'],
    [OUTAGE, '503: every request with a cached key, which still counts against that key'],
    [OUTAGE, '429: requests without a key, past the limit of their address'],
    [REPLICAS, 'count a key that they have never seen against nobody while PostgreSQL is unavailable'],
  ],
  'PostgreSQL refuses further connections: `max_connections`, or the limit of a role': [
    [CONNECTIONS, 'refuses no request for it'],
    [CONNECTIONS, 'says so once, with both numbers'],
    [CONNECTIONS, 'has connections for reads, for writes and for the background again when all have broken'],
    [OPERATIONS, 'stays ready, degraded, when PostgreSQL refuses further connections'],
  ],
  'a column gets another type, or a pooler forgets prepared statements': [
    [POSTGRES, 'continues when a column has another type, on every connection'],
    [LOST_STATEMENTS, 'are prepared again'],
    [POOLER, 'continues when a column has another type, whatever is prepared in the sessions'],
  ],
  'PostgreSQL writes slowly, or rows are locked': [
    [REPLICAS, 'continue reading, and stay ready, while animals are locked; writes wait, then are 503'],
    [POSTGRES, 'reads and checks do not wait for them'],
    [POSTGRES, 'another write waits for its time and no longer, or until a slow one ends'],
  ],
  'PostgreSQL (no primary), or the file, at start': [
    [START, 'exits with code 1 and one line without the password: %s'],
    [REPLICAS, 'are not ready, and serve no old rows, while PostgreSQL is a hot standby'],
  ],
  'a replica is frozen, or its host vanishes, with an open transaction': [
    [VANISHED, 'loses the transaction that it has open, so that others get its locks'],
    [VANISHED, 'ends within 20 s on both sides'],
  ],
  'the disk of the SQLite file is full': [
    [SQLITE, 'rejects writes while the disk is full, still reads, and writes again when there is room'],
  ],
  'another process writes to the SQLite file': [
    [SQLITE, 'still reads, and writes as soon as the other process is done'],
    [SQLITE, 'rejects a write that has waited too long, does not run it later, and runs the next'],
  ],
  'the SQLite file, or its `-wal`, `-shm` or `-lock`, was deleted or replaced': [
    [SQLITE, '%s fails, as all later ones do, and logs the reason once'],
    [SQLITE, 'works again when the file is back'],
  ],
  'another process reads from the SQLite file for long': [
    [SQLITE, 'returns the size of the write-ahead log, and truncates it when no other process reads from it'],
  ],
  'the SQLite file is damaged, or it or its `-wal` was cut or overwritten by one of another size': [
    [SQLITE, 'stops reading and writing, and logs this once'],
    [LOG, '%s acknowledges nothing more, and the next start has what was there before'],
    [LOG, 'acknowledges nothing more when the file itself loses its last page'],
    [SQLITE, 'acknowledges and stores nothing of a turn that %s, nor of what waits after it'],
  ],
  'a replica, by `kill -9`': [
    [KILLED, 'has every acknowledged animal, and after retries has every animal once'],
    [KILLED, 'loses the minute and at most the counts of the last second to SIGKILL, and no earlier ban'],
  ],
  'Additions without an `Idempotency-Key` that arrive together are one statement on PostgreSQL.': [
    [GROUPED, 'that arrive in one turn share one statement, and each gets the id of its own row'],
  ],
  'If its connection breaks in between, all of them (at most 500) get 503, and all of them may or may not be stored.':
    [
      [GROUPED, 'because their connection broke before PostgreSQL was done'],
      [GROUPED, 'because their connection broke after PostgreSQL was done'],
    ],
  'The same holds for an order, or an addition with a key, whose connection breaks or whose locks take too long while it commits.':
    [
      [ROUND_TRIPS, 'are not made again when the connection breaks, as the outcome is unknown'],
      [ROUND_TRIPS, 'are not made again when the response to COMMIT is lost, although it was stored'],
    ],
  'With an `Idempotency-Key` a retry is safe.': [
    [KILLED, 'has every acknowledged animal, and after retries has every animal once'],
  ],
  'An outage of Redis is logged once when it begins and once when it ends.': [
    [
      REPLICAS,
      'each limit on their own when Redis is killed under load, and together again within 5 s of its return',
    ],
  ],
  'An outage of PostgreSQL is logged once by readiness, once by the key poller, and for every failed request under its id.':
    [
      [REPLICAS, 'respond with 503 while PostgreSQL is down, and recover without a restart when it is back'],
      [
        FAILURES,
        'says what the driver of the database said, also for requests that were refused by an earlier failure',
      ],
    ],
};

describe('"When something is gone" in docs/incidents.md', () => {
  const page = readFileSync(resolve(ROOT, 'docs/incidents.md'), 'utf8');
  const [, section = ''] = /\n## When something is gone\n(.*)/s.exec(page) ?? [];

  it('promises nothing but what is listed here', () => {
    const rows = [...section.matchAll(/^- \*\*(.*?)\*\*:/gm)].map(([, what]) => what!);
    const text = section.replace(/^- .*$/gm, '').replaceAll(/\s+/g, ' ');
    const sentences = text.split(/(?<=\.) (?=[A-Z])/).map((sentence) => sentence.trim());
    expect([...rows, ...sentences].filter((one) => one !== '').sort()).toEqual(Object.keys(HELD_BY).sort());
  });

  it.each(Object.entries(HELD_BY))('has tests that hold "%s"', (_, tests) => {
    for (const [file, name] of tests)
      expect(readFileSync(resolve(ROOT, file), 'utf8')).toContain(`'${name}'`);
  });
});
