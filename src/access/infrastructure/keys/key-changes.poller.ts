import {
  Inject,
  Injectable,
  Logger,
  type OnModuleDestroy,
  type OnModuleInit,
  Optional,
} from '@nestjs/common';
import { ApiKeyAuthenticator } from '@animal-store/api-keys';
import { KeyChanges } from '@animal-store/api-keys/issuing';
import { Clock, RepeatedTask, type StartTimer } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { type LiftRepository, withCountedApart } from '../../domain/ban.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { toStoredApiKey } from './api-key.record.js';
import { BackgroundLifts } from '../limits/typeorm-lift.repository.js';
import { BackgroundKeys } from './typeorm-api-key.repository.js';

const INTERVAL_MS = 1_000;

/**
 * Reads every second which keys any process has changed and whose bans it has lifted, and applies that to this
 * server. It compares only the times of changes, never the clock of this host, which may differ from that of the host
 * that made the change.
 */
@Injectable()
export class KeyChangesPoller implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(KeyChangesPoller.name);
  private readonly task: RepeatedTask;
  private readLiftsUpToMs = 0;

  constructor(
    @Inject(BackgroundKeys) keys: ApiKeyRepository,
    @Inject(BackgroundLifts) private readonly lifts: LiftRepository,
    authenticator: ApiKeyAuthenticator,
    @Inject(RateLimiter) private readonly limiter: Pick<RateLimiter, 'liftBan'>,
    clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    const changes = new KeyChanges(keys, authenticator, clock.now, toStoredApiKey);
    this.task = new RepeatedTask({
      step: async () => {
        const beganMs = clock.monotonicMs();
        await changes.read();
        await this.readLifts();
        return Math.max(0, INTERVAL_MS - (clock.monotonicMs() - beganMs));
      },
      restAfterFailureMs: INTERVAL_MS,
      onFailing: (cause) =>
        this.logger.error('Changes of API keys cannot be read. Trying again every second.', cause),
      onWorking: () => this.logger.log('Changes of API keys can be read again.'),
      startTimer,
    });
  }

  onModuleInit(): Promise<void> {
    return this.poll();
  }

  onModuleDestroy(): Promise<void> {
    return this.task.stop();
  }

  /** Reads the changes now and then every second. Never rejects. During a running poll it is that one. */
  poll(): Promise<void> {
    return this.task.run();
  }

  private async readLifts(): Promise<void> {
    for await (const lifts of this.lifts.after(this.readLiftsUpToMs)) {
      for (const { subject, liftedAtMs, changedAtMs } of lifts) {
        for (const one of withCountedApart(subject)) await this.limiter.liftBan(one, liftedAtMs);
        // Last, so that a ban that could not be lifted is read again.
        this.readLiftsUpToMs = changedAtMs;
      }
    }
  }
}
