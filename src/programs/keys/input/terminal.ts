import { createInterface } from 'node:readline';
import { type Readable, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';

/** Longer than any key, with what a file or a here-document adds. */
const MAX_INPUT_BYTES = 1_024;

/** The input of the person or the script at the command line. */
export interface Terminal {
  /** Whether a person can respond. */
  readonly isInteractive: boolean;
  /** Reads a secret from standard input. On a terminal it prompts, without an echo; null when the person cancels. */
  readSecret(question: string): Promise<string | null>;
  /** Prompts for a confirmation: `y` or `yes`. */
  confirm(question: string): Promise<boolean>;
}

export class StandardTerminal implements Terminal {
  constructor(
    private readonly input: Readable & Partial<Pick<ReadStream, 'isTTY'>>,
    /** Questions go here, so that standard output has nothing but the result. */
    private readonly questions: Writable & Partial<Pick<WriteStream, 'isTTY'>>,
  ) {}

  get isInteractive(): boolean {
    return Boolean(this.input.isTTY && this.questions.isTTY);
  }

  async readSecret(question: string): Promise<string | null> {
    if (!this.isInteractive) return this.readAll();
    const secret = await this.prompt(question, { isShown: false });
    this.questions.write('\n');
    return secret;
  }

  async confirm(question: string): Promise<boolean> {
    const answer = await this.prompt(question, { isShown: true });
    return /^y(es)?$/i.test(answer?.trim() ?? '');
  }

  /** One line, or null at the end of the input and on Ctrl-C. */
  private prompt(question: string, { isShown }: { isShown: boolean }): Promise<string | null> {
    this.questions.write(question);
    // In raw mode the terminal itself shows nothing, and what readline shows goes nowhere.
    const output = isShown ? this.questions : new Writable({ write: (_chunk, _encoding, done) => done() });
    const lines = createInterface({ input: this.input, output, terminal: !isShown, historySize: 0 });
    return new Promise((resolve) => {
      lines.once('line', resolve).once('close', () => resolve(null));
      lines.once('SIGINT', () => lines.close());
    }).finally(() => lines.close()) as Promise<string | null>;
  }

  private async readAll(): Promise<string> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of this.input) {
      const part = Buffer.from(chunk as Buffer);
      chunks.push(part);
      bytes += part.length;
      if (bytes > MAX_INPUT_BYTES) break;
    }
    return Buffer.concat(chunks).toString('utf8');
  }
}
