import { Writable } from 'node:stream';
import { Command } from 'commander';
import { runProgram, standardOutput } from './run-program.js';

describe('standardOutput', () => {
  /** Reads two parts and then closes, as `head` does. */
  class Head extends Writable {
    readonly parts: string[] = [];

    override _write(chunk: Buffer, _encoding: string, done: (error?: Error) => void): void {
      if (this.parts.length === 2) return done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      this.parts.push(chunk.toString());
      done();
    }
  }

  it('leaves a program alone that has work left when nobody reads any more', async () => {
    const head = new Head();
    const print = standardOutput('continue', head);
    for (let line = 0; line < 5; line++) {
      print(`line ${line}\n`);
      await new Promise(setImmediate);
    }
    expect(head.parts).toEqual(['line 0\n', 'line 1\n']);
  });

  it('ends a program that continues printing when nobody reads any more, without a complaint', async () => {
    const head = new Head();
    const print = standardOutput('end', head);
    let read = 0;
    const program = new Command('list').exitOverride().action(async () => {
      for (; read < 100; read++) {
        print(`line ${read}\n`);
        await new Promise(setImmediate);
      }
    });
    const complaints: string[] = [];
    expect(await runProgram(program, [], (line) => complaints.push(line))).toBe(0);
    expect([head.parts, complaints]).toEqual([['line 0\n', 'line 1\n'], []]);
    expect(read).toBe(3);
  });
});
