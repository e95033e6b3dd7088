import { Inject, Injectable } from '@nestjs/common';
import { ApiKeyAuthenticator, ChangesPoller } from '@animal-store/api-keys';
import { KeyChanges } from '@animal-store/api-keys/issuing';
import { ChangeFeed, Clock } from '@animal-store/kernel';
import type { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { type Lift, type LiftRepository, withSeparateBans } from '../../domain/ban.js';
import { RateLimiter } from '../limits/rate-limiter.js';
import { toStoredApiKey } from './api-key.record.js';
import { BackgroundStorage } from '../background-storage.js';

/** Reads every second which keys were changed and whose bans were lifted, by any process, and applies that. */
@Injectable()
export class KeyChangesPoller extends ChangesPoller {
  constructor(
    @Inject(BackgroundStorage)
    { keys, lifts }: { readonly keys: ApiKeyRepository; readonly lifts: LiftRepository },
    authenticator: ApiKeyAuthenticator,
    @Inject(RateLimiter) limiter: Pick<RateLimiter, 'liftBan'>,
    clock: Clock,
  ) {
    const changes = new KeyChanges(keys, authenticator, clock.now, toStoredApiKey);
    const lift = async (lifted: readonly Lift[]) => {
      for (const { subject, liftedAtMs } of lifted)
        for (const one of withSeparateBans(subject)) await limiter.liftBan(one, liftedAtMs);
    };
    // From the first on: a server that starts may read back a ban that was lifted meanwhile.
    const liftedBans = new ChangeFeed(lifts, lift, { sinceMs: 0 });
    const read = async () => {
      await changes.read();
      await liftedBans.read();
    };
    super('Changes of API keys or lifts of bans', read, clock);
  }
}
