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
  /** Whether the running request with a key is the first one. Another may have stored its response before. */
  private readonly running = new Map<string, Promise<boolean>>();

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
    const running = this.running.get(name);
    if (running !== undefined) {
      if (await running) throw new IdempotencyInProgress();
      return this.replayOrRun(key, fingerprint, respond, () => undefined);
    }
    let tell!: (isFirst: boolean) => void;
    this.running.set(name, new Promise((resolve) => (tell = resolve)));
    try {
      return await this.replayOrRun(key, fingerprint, respond, tell);
    } finally {
      // It may have failed before it knew.
      tell(false);
      this.running.delete(name);
    }
  }

  private replayOrRun(
    key: IdempotencyKey,
    fingerprint: string,
    respond: () => Promise<StorableResponse>,
    tell: (isFirst: boolean) => void,
  ): Promise<OnceResult> {
    return this.unitOfWork.enclose(async (transaction) => {
      const nowMs = this.clock.now();
      // `running` knows only this process; the lock covers the other replicas. The two are sent together and run in this
      // order, so the response of who had the lock before is found.
      const [isLocked, first] = await Promise.all([
        this.responses.lock(key, transaction),
        this.responses.find(key, expiredAtMs(nowMs), transaction),
      ]);
      tell(first === null);
      if (first) {
        if (first.fingerprint !== fingerprint) throw new IdempotencyKeyReused();
        return { response: first, isReplayed: true };
      }
      if (!isLocked) throw new IdempotencyInProgress();
      const response = await respond();
      // The spread comes last: V8 adds fields slowly to an object that begins with one.
      await this.responses.save(key, { fingerprint, ...response }, nowMs, transaction);
      return { response, isReplayed: false };
    });
  }
}
