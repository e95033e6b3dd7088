import { AsyncLocalStorage } from 'node:async_hooks';
import { RepeatedTask, type RepeatedTaskOptions } from './repeated-task.js';
import { ManualTimers } from '../testing/manual-timers.js';

describe('RepeatedTask', () => {
  let timers: ManualTimers;
  let step: jest.Mock<Promise<number | null>, []>;
  let said: string[];

  beforeEach(() => {
    timers = new ManualTimers();
    step = jest.fn<Promise<number | null>, []>().mockResolvedValue(100);
    said = [];
  });

  afterEach(() => jest.restoreAllMocks());

  function taskWith(options: Partial<RepeatedTaskOptions> = {}): RepeatedTask {
    return new RepeatedTask({
      step,
      delayAfterFailureMs: 5_000,
      onFailing: (cause) => said.push(`failing: ${(cause as Error).message}`),
      onWorking: () => said.push('working'),
      ...options,
    });
  }

  /** A step that runs until the test ends it. */
  function slowStep(): (delayMs: number | null) => void {
    let end: (delayMs: number | null) => void = () => undefined;
    step.mockImplementationOnce(() => new Promise((resolve) => (end = resolve)));
    return (delayMs) => end(delayMs);
  }

  it('rests before the first step, and after each step as long as the step says', async () => {
    taskWith().start(10);
    expect(timers.restsMs).toEqual([10]);
    expect(step).not.toHaveBeenCalled();

    await timers.fire();
    expect(step).toHaveBeenCalledTimes(1);
    expect(timers.restsMs).toEqual([100]);

    step.mockResolvedValue(7);
    await timers.fire();
    expect(timers.restsMs).toEqual([7]);
  });

  it('runs a step at once by `run`, and waits anew', async () => {
    const task = taskWith();
    task.start(60_000);

    await task.run();
    expect(step).toHaveBeenCalledTimes(1);
    expect(timers.restsMs).toEqual([100]);
  });

  it('never runs two steps at a time', async () => {
    const end = slowStep();
    const task = taskWith();
    const first = task.run();

    expect(task.run()).toBe(first);
    task.start();
    await timers.fire();
    expect(step).toHaveBeenCalledTimes(1);

    end(100);
    await first;
    expect(timers.restsMs).toEqual([100]);
  });

  it('ends when a step says so, until it is started again', async () => {
    step.mockResolvedValue(null);
    const task = taskWith();
    await task.run();
    expect(timers.restsMs).toEqual([]);

    task.start(20);
    expect(timers.restsMs).toEqual([20]);
  });

  it('says once that steps fail, and once that they work again', async () => {
    step.mockRejectedValueOnce(new Error('gone')).mockRejectedValueOnce(new Error('still gone'));
    const task = taskWith();

    await task.run();
    expect(timers.restsMs).toEqual([5_000]);
    await task.run();
    await task.run();
    await task.run();
    expect(said).toEqual(['failing: gone', 'working']);

    step.mockRejectedValueOnce(new Error('gone again'));
    await task.run();
    expect(said.at(-1)).toBe('failing: gone again');
  });

  it('stops for good, once the running step is done', async () => {
    const end = slowStep();
    const task = taskWith();
    void task.run();
    let isStopped = false;
    const stopped = task.stop().then(() => (isStopped = true));
    await new Promise(setImmediate);
    expect(isStopped).toBe(false);

    end(100);
    await stopped;
    task.start();
    expect(timers.restsMs).toEqual([]);
  });

  it('does not keep the process alive', async () => {
    jest.restoreAllMocks();
    const unref = jest.spyOn(Object.getPrototypeOf(setTimeout(() => undefined)) as NodeJS.Timeout, 'unref');
    const task = taskWith();
    task.start(60_000);
    await task.stop();

    expect(unref).toHaveBeenCalledTimes(1);
  });

  it('begins in the root context, whichever request starts it, runs it or shares its step', async () => {
    const requests = new AsyncLocalStorage<string>();
    const contexts: (string | undefined)[] = [];
    const note = () => void contexts.push(requests.getStore());
    step.mockImplementation(() => (note(), Promise.resolve(1)));
    const startTimer = jest.mocked(
      (RepeatedTask.prototype as unknown as { startTimer(ms: number, run: () => void): () => void })
        .startTimer,
    );
    const start = startTimer.getMockImplementation()!;
    startTimer.mockImplementation((ms, run) => (note(), start(ms, () => requests.run('timer', run))));
    const task = taskWith();

    requests.run('first', () => task.start());
    await timers.fire();
    await requests.run('second', () => task.run());
    expect(contexts).toEqual(Array(5).fill(undefined));
  });
});
