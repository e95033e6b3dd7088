import { Logger } from '@nestjs/common';
import type { Clock } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../domain/api-key.repository.js';
import { PLAN_NAMES, type PlanName } from '../domain/plan.js';

/** So few keys take about a millisecond, in which the embedded database answers nothing else. */
const KEYS_A_STEP = 500;
const REST_MS = 20;
const REST_AT_THE_END_MS = 60_000;

/** Counts the active keys of each plan about once a minute, in small steps with rests in between, for the metrics. */
export class KeyCensus {
  private readonly logger = new Logger(KeyCensus.name);
  /** The last count that was completed. */
  private counted: ReadonlyMap<PlanName, number> = new Map();
  private counting = none();
  private after = '';
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> = Promise.resolve();
  private isFailing = false;
  private isStopped = false;

  constructor(
    private readonly keys: Pick<ApiKeyRepository, 'page'>,
    private readonly clock: Clock,
  ) {}

  /** Active keys by plan; empty before the first count is completed. */
  get activeKeys(): ReadonlyMap<PlanName, number> {
    return this.counted;
  }

  start(): void {
    this.rest(0);
  }

  /** Resolves when the last step is done. Call it before the database is closed. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  /** Never rejects. Returns the milliseconds to rest before the next step. */
  async step(): Promise<number> {
    try {
      const isEnd = await this.count();
      if (this.isFailing) this.logger.log('API keys can be counted again.');
      this.isFailing = false;
      return isEnd ? REST_AT_THE_END_MS : REST_MS;
    } catch (error) {
      if (!this.isFailing) this.logger.error('API keys cannot be counted. Trying again.', error);
      this.isFailing = true;
      return REST_AT_THE_END_MS;
    }
  }

  private async count(): Promise<boolean> {
    const page = await this.keys.page(this.after, KEYS_A_STEP);
    const nowMs = this.clock.now();
    for (const key of page) {
      const { name } = key.plan;
      if (key.statusAt(nowMs) === 'active') this.counting.set(name, this.counting.get(name)! + 1);
    }
    this.after = page.at(-1)?.id ?? '';
    if (page.length === KEYS_A_STEP) return false;
    this.counted = this.counting;
    this.counting = none();
    this.after = '';
    return true;
  }

  private rest(ms: number): void {
    if (this.isStopped) return;
    this.timer = setTimeout(() => {
      this.running = this.step().then((restMs) => this.rest(restMs));
    }, ms).unref();
  }
}

function none(): Map<PlanName, number> {
  return new Map(PLAN_NAMES.map((name) => [name, 0]));
}
