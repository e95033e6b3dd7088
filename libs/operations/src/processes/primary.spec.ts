import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { JsonLogger } from '../logging/json-logger.js';
import { Primary, type PrimaryParts } from './primary.js';

const PIDS_FROM = 101;

/** A worker as the primary sees it. Its answers are the test's. */
class FakeWorker extends EventEmitter {
  readonly process = Object.assign(new EventEmitter(), {
    pid: 0,
    stdout: new PassThrough(),
    kill: (signal: string) => void this.signals.push(signal),
  });
  readonly signals: string[] = [];
  answers: Record<string, unknown> = {};

  send({ question }: { question: string }): void {
    const answer = this.answers[question];
    if (answer !== undefined) queueMicrotask(() => this.emit('message', { answerTo: question, answer }));
  }

  ends(code: number | null, signal: string | null = null): void {
    this.emit('disconnect');
    this.process.emit('close', code, signal);
  }
}

describe('Primary', () => {
  let workers: FakeWorker[];
  let lines: string[];
  let process: EventEmitter;
  let exitCodes: number[];
  let logWritten: Promise<void>;
  let primary: Primary;

  beforeEach(() => {
    jest.useFakeTimers();
    workers = [];
    lines = [];
    exitCodes = [];
    logWritten = Promise.resolve();
    process = Object.assign(new EventEmitter(), { exit: (code: number) => void exitCodes.push(code) });
    const log = { write: (line: string) => void lines.push(line) };
    primary = new Primary({
      cluster: {
        setupPrimary: () => undefined,
        fork: () => {
          const worker = new FakeWorker();
          worker.process.pid = PIDS_FROM + workers.length;
          workers.push(worker);
          return worker;
        },
      } as unknown as PrimaryParts['cluster'],
      process: process as unknown as PrimaryParts['process'],
      wanted: 2,
      metrics: { host: '127.0.0.1', port: null },
      logger: new JsonLogger('info', log, () => 0),
      log,
      flushLog: () => logWritten,
      stopsWithinMs: 20_000,
    });
  });

  afterEach(() => jest.useRealTimers());

  async function start(): Promise<void> {
    const starting = primary.start();
    workers[0]!.emit('listening');
    await jest.advanceTimersByTimeAsync(0);
    workers[1]!.emit('listening');
    await starting;
  }

  it('starts the first worker alone, then the others', async () => {
    void primary.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(workers).toHaveLength(1);
    workers[0]!.emit('listening');
    await jest.advanceTimersByTimeAsync(0);
    expect(workers).toHaveLength(2);
  });

  it('exits with the code of a worker that cannot start, when the others have stopped', async () => {
    void primary.start();
    workers[0]!.emit('listening');
    await jest.advanceTimersByTimeAsync(0);
    workers[1]!.ends(3);
    expect(workers[0]!.signals).toEqual(['SIGTERM']);
    expect(exitCodes).toEqual([]);
    workers[0]!.ends(0);
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([3]);
    expect(workers).toHaveLength(2);
  });

  it('says which signal ended a worker that could not say it itself', async () => {
    void primary.start();
    workers[0]!.ends(null, 'SIGKILL');
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([1]);
    expect(lines.join('')).toContain('A worker was ended by SIGKILL before it served.');
  });

  it('waits twice as long for each worker that has just ended, and not longer than half a minute', async () => {
    await start();
    const waitsMs: number[] = [];
    for (let ends = 0; ends < 10; ends++) {
      const started = workers.length;
      workers.at(-1)!.ends(1);
      for (waitsMs.push(0); workers.length === started; waitsMs[ends]! += 100)
        await jest.advanceTimersByTimeAsync(100);
    }
    expect(waitsMs.slice(0, 9)).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600]);
    expect(waitsMs[9]).toBeLessThanOrEqual(30_000);

    await jest.advanceTimersByTimeAsync(60_000);
    workers.at(-1)!.ends(1);
    await jest.advanceTimersByTimeAsync(100);
    expect(workers).toHaveLength(13);
  });

  it('starts no worker again once it stops, and exits with 0 when all have', async () => {
    await start();
    workers[0]!.ends(null, 'SIGSEGV');
    process.emit('SIGTERM');
    await jest.advanceTimersByTimeAsync(1_000);
    expect(workers).toHaveLength(2);
    expect(workers[1]!.signals).toEqual(['SIGTERM']);
    workers[1]!.ends(0);
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([0]);
  });

  it('exits when its last lines are written', async () => {
    let write!: () => void;
    logWritten = new Promise((resolve) => (write = resolve));
    void primary.start();
    workers[0]!.ends(3);
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([]);

    write();
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([3]);
  });

  it('kills a worker that does not stop in time, and exits with 1', async () => {
    await start();
    process.emit('SIGINT');
    workers[0]!.ends(0);
    await jest.advanceTimersByTimeAsync(19_999);
    expect(workers[1]!.signals).toEqual(['SIGINT']);
    await jest.advanceTimersByTimeAsync(1);
    expect(workers[1]!.signals).toEqual(['SIGINT', 'SIGKILL']);
    workers[1]!.ends(null, 'SIGKILL');
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([1]);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('kills every worker and exits at once when %s is the second signal', async (signal, exitCode) => {
    await start();
    process.emit('SIGTERM');
    process.emit(signal);
    expect(workers.map(({ signals }) => signals)).toEqual(Array(2).fill(['SIGTERM', 'SIGKILL']));
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([exitCode]);
  });

  it('exits with 0 when it is stopped while the first worker starts', async () => {
    void primary.start();
    process.emit('SIGTERM');
    workers[0]!.ends(null, 'SIGTERM');
    await jest.advanceTimersByTimeAsync(0);
    expect(exitCodes).toEqual([0]);
  });

  it('starts no further worker when it is stopped before the first one serves', async () => {
    const starting = primary.start();
    process.emit('SIGTERM');
    workers[0]!.emit('listening');
    await starting;
    expect(workers).toHaveLength(1);
  });

  it('goes on when a worker cannot be started again', async () => {
    await start();
    workers[0]!.ends(1);
    await jest.advanceTimersByTimeAsync(100);
    workers[2]!.emit('error', new Error('spawn EAGAIN'));
    workers[2]!.ends(-11);
    await jest.advanceTimersByTimeAsync(200);
    expect(workers).toHaveLength(4);
    expect(exitCodes).toEqual([]);
  });

  it('cuts a line that has no end', async () => {
    await start();
    workers[0]!.process.stdout.write('x'.repeat(2_000_000));
    await jest.advanceTimersByTimeAsync(0);
    expect(lines.join('').length).toBeGreaterThan(1_000_000);
  });

  it('writes the lines of the workers whole', async () => {
    await start();
    const [first, second] = workers.map(({ process }) => process.stdout);
    first!.write('{"a":');
    second!.write('{"b":"\u2028"}\n{"c"');
    first!.write('1}\n');
    second!.write(':3}\n');
    await jest.advanceTimersByTimeAsync(0);
    expect(lines).toEqual(['{"b":"\u2028"}\n', '{"a":1}\n', '{"c":3}\n']);
  });

  describe('asked whether all are ready', () => {
    const UP = { ready: true, shuttingDown: false, database: 'up', redis: 'up' };

    async function readinessWith(...answers: unknown[]): Promise<unknown> {
      answers.forEach((readiness, index) => (workers[index]!.answers = { readiness }));
      const told = new Promise((resolve) => {
        const { send } = workers[0]!;
        workers[0]!.send = (message) => {
          if ('answerTo' in message) resolve((message as { answer?: unknown }).answer);
          else send.call(workers[0], message);
        };
      });
      workers[0]!.emit('message', { question: 'readiness' });
      await jest.advanceTimersByTimeAsync(0);
      return told;
    }

    beforeEach(start);

    it('says so when all are', async () => {
      expect(await readinessWith(UP, UP)).toEqual({ ...UP, workers: { ready: 2, wanted: 2 } });
    });

    it('says no when one has lost its database, and names what is wrong with any', async () => {
      const down = { ready: false, shuttingDown: false, database: 'down', redis: 'degraded' };
      expect(await readinessWith(UP, down)).toEqual({
        ...down,
        workers: { ready: 1, wanted: 2 },
      });
    });

    it('leaves out one that shuts down alone', async () => {
      const leaving = { ...UP, ready: false, shuttingDown: true };
      expect(await readinessWith(leaving, UP)).toEqual({ ...UP, workers: { ready: 1, wanted: 2 } });
    });

    it('says no when it stops', async () => {
      process.emit('SIGTERM');
      expect(await readinessWith(UP, UP)).toMatchObject({ ready: false, shuttingDown: true });
    });
  });
});
