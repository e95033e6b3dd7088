/** Says on the terminal what is going on, in one line that is written over. */
export class Progress {
  private readonly isTerminal = process.stderr.isTTY;
  private step = 0;

  constructor(private readonly steps: number) {}

  next(text: string): void {
    this.step++;
    this.say(text);
  }

  say(text: string): void {
    const line = `[${this.step}/${this.steps}] ${text}`;
    process.stderr.write(this.isTerminal ? `\r\u001b[2K${line}` : `${line}\n`);
  }

  /** Before something that stays. */
  clear(): void {
    if (this.isTerminal) process.stderr.write('\r\u001b[2K');
  }
}
