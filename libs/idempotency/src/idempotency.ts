import { Injectable } from '@nestjs/common';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import { IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import {
  expiredAtMs,
  type FirstResponse,
  type IdempotencyKey,
  IdempotencyRepository,
} from './infrastructure/idempotency.repository.js';

export type StorableResponse = Omit<FirstResponse, 'fingerprint'>;

export interface OnceResult {
  readonly response: StorableResponse;
  /** Whether it is the response to an earlier request. */
  readonly isReplayed: boolean;
}

/** Runs the work of a request with an Idempotency-Key once, however often the request is sent. */
@Injectable()
export class Idempotency {
  private readonly running = new Set<string>();

  constructor(
    private readonly responses: IdempotencyRepository,
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns the first response to `key`: the stored one, or that of `respond`, which is then stored in the same
   * transaction as everything that `respond` writes. So a retry finds both or neither. Errors are not stored.
   * @param fingerprint equal for equal requests
   * @throws IdempotencyKeyReused when the key belongs to another request.
   * @throws IdempotencyInProgress when the first request with the key is still running.
   */
  async once(
    key: IdempotencyKey,
    fingerprint: string,
    respond: () => Promise<StorableResponse>,
  ): Promise<OnceResult> {
    const name = `${key.apiKeyId} ${key.value}`;
    if (this.running.has(name)) {
      // The one that runs may be a retry itself. A read outside a transaction waits for no writer.
      const first = await this.responses.find(key, expiredAtMs(this.clock.now()));
      if (!first) throw new IdempotencyInProgress();
      return replayOf(first, fingerprint);
    }
    this.running.add(name);
    try {
      return await this.unitOfWork.enclose(async (transaction) => {
        const nowMs = this.clock.now();
        // `running` knows only this process; the lock covers the other replicas. The two are sent together and run in this
        // order, so the response of who had the lock before is found.
        const [isLocked, first] = await Promise.all([
          this.responses.lock(key, transaction),
          this.responses.find(key, expiredAtMs(nowMs), transaction),
        ]);
        if (first) return replayOf(first, fingerprint);
        if (!isLocked) throw new IdempotencyInProgress();
        const response = await respond();
        // The spread comes last: V8 adds fields slowly to an object that begins with one.
        await this.responses.save(key, { fingerprint, ...response }, nowMs, transaction);
        return { response, isReplayed: false };
      });
    } finally {
      this.running.delete(name);
    }
  }
}

function replayOf(first: FirstResponse, fingerprint: string): OnceResult {
  if (first.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
  return { response: first, isReplayed: true };
}
