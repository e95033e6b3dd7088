import { inRootContext } from './root-context.js';

export interface RepeatedTaskOptions {
  /** One run. Resolves with the delay before the next one in milliseconds; null ends the task until the next start. */
  readonly step: () => Promise<number | null>;
  /** The delay after a failed step. */
  readonly delayAfterFailureMs: number;
  /** Called for the first of several failures in a row. Must not throw. */
  readonly onFailing?: (cause: unknown) => void;
  /** Called for the first success after a failure. Must not throw. */
  readonly onWorking?: () => void;
}

/**
 * Work in the background: runs a step, waits, and runs the next one, never two at a time. It reports the first of
 * several failures, and the next success. Steps and timers start in the root context.
 *
 * @example
 * ```ts
 * const step = async () => ((await saveSome()) ? 10 : 10_000);
 * const onFailing = (cause: unknown) => logger.error('Nothing can be saved.', cause);
 * const task = new RepeatedTask({ step, delayAfterFailureMs: 10_000, onFailing });
 * task.start();
 * await task.stop();
 * ```
 */
export class RepeatedTask {
  private endTimer: (() => void) | null = null;
  private running: Promise<void> | null = null;
  private isFailing = false;
  private isStopped = false;

  constructor(private readonly options: RepeatedTaskOptions) {}

  /** Runs the next step after `afterMs`. */
  start(afterMs = 0): void {
    this.clearTimer();
    if (this.isStopped) return;
    const wake = (): void => {
      this.endTimer = null;
      void this.run();
    };
    this.endTimer = inRootContext(() => this.startTimer(afterMs, wake));
  }

  /**
   * Runs a step now, and the next ones after their delays. During a running step it shares that one. Resolves when the
   * step is done. Never rejects.
   */
  run(): Promise<void> {
    this.running ??= inRootContext(() => this.attempt());
    return this.running;
  }

  /** Ends the task for good. Resolves when the running step is done. */
  async stop(): Promise<void> {
    this.isStopped = true;
    this.clearTimer();
    await this.running;
  }

  private async attempt(): Promise<void> {
    this.clearTimer();
    const delayMs = await this.step();
    this.running = null;
    // A step may have started the task again itself.
    if (delayMs !== null && this.endTimer === null) this.start(delayMs);
  }

  private async step(): Promise<number | null> {
    const { step, delayAfterFailureMs, onFailing, onWorking } = this.options;
    const wasFailing = this.isFailing;
    try {
      const delayMs = await step();
      this.isFailing = false;
      if (wasFailing) onWorking?.();
      return delayMs;
    } catch (cause) {
      this.isFailing = true;
      if (!wasFailing) onFailing?.(cause);
      return delayAfterFailureMs;
    }
  }

  private clearTimer(): void {
    this.endTimer?.();
    this.endTimer = null;
  }

  /** It does not keep the process alive. @returns what ends the timer */
  private startTimer(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms).unref();
    return () => clearTimeout(timer);
  }
}
