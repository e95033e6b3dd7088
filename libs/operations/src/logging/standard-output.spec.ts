import { EventEmitter } from 'node:events';
import { Writable } from 'node:stream';
import { MAX_WAITING_BYTES, StandardOutput } from './standard-output.js';

/** A pipe whose reader reads nothing until the test says so. */
class Pipe extends Writable {
  readonly chunks: string[] = [];
  isStalled = false;
  private readonly stalled: (() => void)[] = [];

  constructor() {
    super({ decodeStrings: false, highWaterMark: 1, autoDestroy: false });
  }

  override _write(chunk: Buffer | string, _: unknown, done: (error?: Error) => void): void {
    const take = () => {
      this.chunks.push(chunk.toString());
      done();
    };
    if (this.isStalled) this.stalled.push(take);
    else take();
  }

  goOn(): void {
    this.isStalled = false;
    for (const take of this.stalled.splice(0)) take();
  }
}

describe('StandardOutput', () => {
  let pipe: Pipe;
  let process: EventEmitter;
  let output: StandardOutput;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] });
    pipe = new Pipe();
    process = new EventEmitter();
    output = new StandardOutput(pipe, process as unknown as NodeJS.Process);
  });

  afterEach(() => jest.useRealTimers());

  it('writes the lines of a tenth of a second together', () => {
    output.write('one: Łucja\n');
    jest.advanceTimersByTime(60);
    output.write('two\n');
    expect(pipe.chunks).toEqual([]);

    jest.advanceTimersByTime(40);
    expect(pipe.chunks).toEqual(['one: Łucja\ntwo\n']);
  });

  it('does not wait when there is much to write', () => {
    output.write(`${'x'.repeat(40_000)}\n`);
    expect(pipe.chunks).toHaveLength(1);
  });

  it('writes the last lines when the process exits', () => {
    output.write('the last\n');
    process.emit('exit');
    expect(pipe.chunks).toEqual(['the last\n']);
  });

  it('drops and counts lines when the reader is stalled and the buffer is full', () => {
    pipe.isStalled = true;
    output.write(`${'x'.repeat(MAX_WAITING_BYTES - 1)}\n`);
    expect(output.droppedLines).toBe(0);

    output.write('two\n');
    output.write('three\n');
    jest.advanceTimersByTime(100);
    expect(output.droppedLines).toBe(2);
    expect(pipe.writableLength).toBe(MAX_WAITING_BYTES);
  });

  it('writes how many lines are missing when the reader continues', async () => {
    const reported: number[] = [];
    output.onRecovery((lines) => reported.push(lines));
    pipe.isStalled = true;
    output.write(`${'x'.repeat(MAX_WAITING_BYTES)}`);
    output.write('two\n');
    jest.advanceTimersByTime(100);
    expect(reported).toEqual([]);

    pipe.goOn();
    await new Promise(setImmediate);
    expect(reported).toEqual([1]);

    output.write('four\n');
    jest.advanceTimersByTime(100);
    await new Promise(setImmediate);
    expect(pipe.chunks.at(-1)).toBe('four\n');
    expect(reported).toEqual([1]);
  });

  it('does not fail when its reader has ended, and counts the lost lines', async () => {
    pipe._write = (_chunk, _encoding, done) => done(Object.assign(new Error('gone'), { code: 'EPIPE' }));
    output.write('one\n');
    output.write('two\n');
    jest.advanceTimersByTime(100);
    await new Promise(setImmediate);
    expect(output.droppedLines).toBe(2);
  });

  it('has flushed when the reader has read everything', async () => {
    pipe.isStalled = true;
    output.write('one\n');
    let hasFlushed = false;
    const flushed = output.flush(1_000).then(() => (hasFlushed = true));
    await new Promise(setImmediate);
    expect(hasFlushed).toBe(false);

    pipe.goOn();
    await flushed;
    expect(pipe.chunks).toContain('one\n');
  });

  it('flushes for at most the given time', async () => {
    pipe.isStalled = true;
    output.write('one\n');
    const flushed = output.flush(1_000);
    jest.advanceTimersByTime(1_000);
    await expect(flushed).resolves.toBeUndefined();
  });
});
