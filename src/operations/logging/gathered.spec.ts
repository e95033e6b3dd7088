import { EventEmitter } from 'node:events';
import type { DestinationStream } from 'pino';
import { gathered } from './gathered.js';

describe('gathered', () => {
  let written: string[];
  let process: EventEmitter;
  let lines: DestinationStream;

  beforeEach(() => {
    jest.useFakeTimers();
    written = [];
    process = new EventEmitter();
    lines = gathered(
      { write: (bytes) => written.push(bytes.toString()), flushSync: () => written.push('flushed') },
      process as unknown as NodeJS.Process,
    );
  });

  afterEach(() => jest.useRealTimers());

  it('writes together what comes within a tenth of a second', () => {
    lines.write('one: Łucja\n');
    jest.advanceTimersByTime(60);
    lines.write('two\n');
    expect(written).toEqual([]);

    jest.advanceTimersByTime(40);
    expect(written).toEqual(['one: Łucja\ntwo\n']);
  });

  it('waits no longer once there is enough', () => {
    lines.write('x'.repeat(32_767));
    expect(written).toEqual([]);

    lines.write('\n');
    expect(written).toEqual([`${'x'.repeat(32_767)}\n`]);
  });

  it('writes nothing when there is nothing', () => {
    jest.advanceTimersByTime(1_000);

    expect(written).toEqual([]);
  });

  it('leaves nothing behind when the process exits', () => {
    lines.write('last words\n');
    process.emit('exit');

    expect(written).toEqual(['last words\n', 'flushed']);
  });
});
