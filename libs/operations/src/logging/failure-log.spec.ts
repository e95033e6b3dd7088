import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { keyRemover } from '@animal-store/api-keys';
import { StorageUnavailable } from '@animal-store/kernel';
import { FakeClock } from '@animal-store/kernel/testing';
import { factsOf } from '@animal-store/web';
import { NotReady } from '../health/health.controller.js';
import { FailureLog } from './failure-log.js';
import { JsonLogger } from './json-logger.js';

describe('FailureLog', () => {
  let clock: FakeClock;
  let lines: string[];
  let log: FailureLog;

  beforeEach(() => {
    clock = new FakeClock();
    lines = [];
    log = new FailureLog(
      new JsonLogger(
        'info',
        { write: (line) => void lines.push(line) },
        () => 0,
        null,
        keyRemover(['ask_live_']),
      ),
      clock,
    );
  });

  /** Each call makes an error of the same place. */
  const refused = (message = 'connect ECONNREFUSED') => new Error(message);

  function fail(error: unknown, requestId = 'r-1'): ReturnType<typeof factsOf> {
    const request = new IncomingMessage(new Socket());
    const facts = factsOf(request);
    facts.requestId = requestId;
    log.failed(error, request);
    return facts;
  }

  const logged = () =>
    lines.map((line) => JSON.parse(line) as { requestId: string; count: number; error: { stack: string } });

  it('logs the stack of the first failure, and says its cause for the line of each request', () => {
    const requests = ['r-1', 'r-2', 'r-3'].map((id) => fail(refused(), id));

    expect(logged()).toEqual([expect.objectContaining({ requestId: 'r-1', count: 1 })]);
    expect(logged()[0]!.error.stack).toContain('at refused');
    expect(requests.map(({ failure }) => failure)).toEqual(Array(3).fill('connect ECONNREFUSED'));
  });

  it('says what the driver of the database said, also for requests that were refused by an earlier failure', () => {
    const first = new StorageUnavailable(refused());
    const later = new StorageUnavailable(first);
    const hosts = new StorageUnavailable(new AggregateError([refused('connect ECONNREFUSED ::1:5432')]));

    expect([first, later, hosts, new StorageUnavailable(null)].map((error) => fail(error).failure)).toEqual([
      'connect ECONNREFUSED',
      'connect ECONNREFUSED',
      'connect ECONNREFUSED ::1:5432',
      'The database of the service cannot be used. Try again shortly.',
    ]);
    expect(lines).toHaveLength(3);
  });

  it('logs it again after a second, with the number of requests since, whatever the messages say', () => {
    fail(refused('id 1'));
    fail(refused('id 2'));
    clock.advance(999);
    fail(refused('id 3'));
    expect(lines).toHaveLength(1);

    clock.advance(1);
    fail(refused('id 4'), 'r-4');

    expect(logged()[1]).toMatchObject({ requestId: 'r-4', count: 3 });
  });

  it('logs every other cause at once', () => {
    fail(refused());
    fail(new TypeError('not a function'));
    fail('a text');
    fail('a text');

    expect(lines).toHaveLength(3);
  });

  it('remembers a hundred causes', () => {
    for (let number = 0; number <= 100; number++) fail(`cause ${number}`);
    fail('cause 0');
    fail('cause 100');

    expect(lines).toHaveLength(102);
  });

  it('says nothing of a server that is not ready, as readiness has logged that', () => {
    expect(fail(new NotReady('The database does not respond.')).failure).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it('does not show a key that is part of a message', () => {
    expect(fail(refused('no key ask_live_secret')).failure).toBe('no key ask_live_[redacted]');
  });
});
