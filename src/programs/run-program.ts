import type { Writable } from 'node:stream';
import { type Command, CommanderError } from 'commander';
import { DomainError } from '@animal-store/kernel';
import { InvalidSettings } from '../settings/settings.js';

/** The exit codes of every command line: bad arguments have neither opened nor changed anything. */
const DONE = 0;
const FAILED = 1;
export const BAD_ARGUMENTS = 2;

const CONTROL_CHARACTERS = /\p{Cc}+/gu;

/** What a terminal obeys, or what changes the direction of the text after it. */
const TERMINAL_INPUT = /[\p{Cc}\p{Bidi_Control}]/gu;
const BUT_LINE_BREAKS = /(?!\n)[\p{Cc}\p{Bidi_Control}]/gu;

/** Text for people, which may repeat text of others: a terminal shows all of it, and obeys none. Lines stay lines. */
export function terminalText(text: string): string {
  return text.replace(BUT_LINE_BREAKS, '\ufffd');
}

/** JSON that is safe for a terminal, and parses to the same value. */
export function terminalJson(value: unknown): string {
  return JSON.stringify(value).replace(
    TERMINAL_INPUT,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text of an array, a part at a time. */
export class JsonArray {
  private begun = '[';

  add(items: readonly unknown[]): string {
    if (items.length === 0) return '';
    const text = this.begun + terminalJson(items).slice(1, -1);
    this.begun = ',';
    return text;
  }

  end(): string {
    return this.begun === '[' ? '[]\n' : ']\n';
  }
}

/** Runs a command line once and returns its exit code. Every failure is one line, without a stack. */
export async function runProgram(
  program: Command,
  args: readonly string[],
  complain: (line: string) => void,
): Promise<number> {
  try {
    await program.parseAsync(args, { from: 'user' });
    return DONE;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return DONE;
    if (error instanceof OutputClosed) return DONE;
    complain(terminalText(`${complaint(program, error)}\n`));
    const isBadArgument =
      error instanceof CommanderError || (error instanceof DomainError && error.kind === 'invalid');
    return isBadArgument ? BAD_ARGUMENTS : FAILED;
  }
}

/** The reader of the output has ended, such as `head`. */
class OutputClosed extends Error {}

/**
 * Prints for a command line.
 * @param whenClosed what printing does when nobody reads any more: it throws, and the rest is left out, where what was
 *   changed is stored before it is printed; or nothing, where the program has work left
 */
export function standardOutput(
  whenClosed: 'end' | 'continue' = 'end',
  output: Pick<Writable, 'on' | 'write'> = process.stdout,
): (text: string) => void {
  let isClosed = false;
  output.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE') return void (isClosed = true);
    process.stderr.write(`${message}\n`);
    process.exit(FAILED);
  });
  return (text) => {
    if (isClosed && whenClosed === 'continue') return;
    if (isClosed) throw new OutputClosed();
    output.write(text);
  };
}

function complaint(program: Command, error: unknown): string {
  if (error instanceof InvalidSettings) return error.message;
  // Commander would print its whole help when the command is missing.
  if (error instanceof CommanderError && error.code === 'commander.help') {
    const names = program.commands.map((command) => command.name());
    return `${program.name()}: name a command: ${names.slice(0, -1).join(', ')} or ${names.at(-1)}. See --help.`;
  }
  // Messages repeat arguments, which may contain anything.
  const message = (error as Error).message.replace(/^error: /, '').replaceAll(CONTROL_CHARACTERS, ' ');
  return `${program.name()}: ${message}`;
}
