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
import { ChangeFeed, Clock, RepeatedTask, type StartTimer } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { type Lift, type LiftRepository, withSeparateBans } from '../../domain/ban.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { toStoredApiKey } from './api-key.record.js';
import { BackgroundStorage } from '../background-storage.js';

const INTERVAL_MS = 1_000;

/** Reads every second which keys were changed and whose bans were lifted, by any process, and applies that. */
@Injectable()
export class KeyChangesPoller implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(KeyChangesPoller.name);
  private readonly task: RepeatedTask;

  constructor(
    @Inject(BackgroundStorage)
    { keys, lifts }: { readonly keys: ApiKeyRepository; readonly lifts: LiftRepository },
    authenticator: ApiKeyAuthenticator,
    @Inject(RateLimiter) limiter: Pick<RateLimiter, 'liftBan'>,
    clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    const changes = new KeyChanges(keys, authenticator, clock.now, toStoredApiKey);
    const lift = async (lifted: readonly Lift[]) => {
      for (const { subject, liftedAtMs } of lifted)
        for (const one of withSeparateBans(subject)) await limiter.liftBan(one, liftedAtMs);
    };
    // From the first on: a server that starts may read back a ban that was lifted meanwhile.
    const liftedBans = new ChangeFeed(lifts, lift, { sinceMs: 0 });
    this.task = new RepeatedTask({
      step: async () => {
        const startedMs = clock.monotonicMs();
        await changes.read();
        await liftedBans.read();
        return Math.max(0, INTERVAL_MS - (clock.monotonicMs() - startedMs));
      },
      delayAfterFailureMs: INTERVAL_MS,
      onFailing: (cause) =>
        this.logger.error(
          'Changes of API keys or lifts of bans cannot be applied. Trying again every second.',
          cause,
        ),
      onWorking: () => this.logger.log('Changes of API keys and lifts of bans are applied again.'),
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
}
