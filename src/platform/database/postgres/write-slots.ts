import { StorageUnavailable } from '@animal-store/kernel';

interface Waiting {
  readonly start: () => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Bounds the connections that write, so that slow writes leave some to reads. Writes beyond the bound wait in the order
 * of their arrival.
 */
export class WriteSlots {
  private readonly waiting = new Set<Waiting>();

  constructor(
    private free: number,
    private readonly limitMs: number,
  ) {}

  get waitingCount(): number {
    return this.waiting.size;
  }

  /**
   * Resolves when the caller may write; it must call `release` afterwards.
   * @throws StorageUnavailable when no slot is free in time.
   */
  async take(): Promise<void> {
    if (this.free === 0) return this.wait();
    this.free--;
  }

  release(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.free++;
      return;
    }
    this.waiting.delete(next);
    clearTimeout(next.timer);
    next.start();
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(waiting);
        reject(new StorageUnavailable(new Error(`Other writes took more than ${this.limitMs} ms.`)));
      }, this.limitMs);
      const waiting = { start: resolve, timer };
      this.waiting.add(waiting);
    });
  }
}
