type End = () => void | Promise<void>;

/** Everything that was started and has to end with the run, however that ends; last started, first ended. */
export class Cleanup {
  private readonly ends: End[] = [];

  /** Returns what ends it before that. */
  add(end: End): () => Promise<void> {
    this.ends.push(end);
    return async () => {
      const index = this.ends.indexOf(end);
      if (index === -1) return;
      this.ends.splice(index, 1);
      await end();
    };
  }

  async run(): Promise<void> {
    while (this.ends.length > 0) {
      try {
        await this.ends.pop()!();
      } catch (error) {
        process.stderr.write(`While ending: ${String(error)}\n`);
      }
    }
  }

  /** On Ctrl-C too. A second one ends nothing more than this process. */
  onSignals(): void {
    for (const [signal, exitCode] of [
      ['SIGINT', 130],
      ['SIGTERM', 143],
      ['SIGHUP', 129],
    ] as const) {
      process.once(signal, () => {
        process.stderr.write('\nEnding what was started …\n');
        void this.run().finally(() => process.exit(exitCode));
      });
    }
  }
}
