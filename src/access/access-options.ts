import type { IncomingMessage } from 'node:http';
import { Injectable, Logger } from '@nestjs/common';
import { type ApiKeysModule, ApiKeyStore, callerOf } from '@animal-store/api-keys';
import type { DeprecationModule } from '@animal-store/deprecation';
import { Clock } from '@animal-store/kernel';
import { Metrics } from '@animal-store/operations';
import type { RateLimitingModule } from '@animal-store/rate-limiting';
import { isPreflightFrom } from '@animal-store/web';
import { scopes } from '../contexts.js';
import { Settings } from '../settings/settings.js';
import { StoreKeyIssuer } from './application/key-issuer.service.js';
import { bannedOf, callerText } from './domain/ban.js';
import { addressOnlySubject, requestSubject, WITHOUT_PLAN } from './http/request-subject.js';
import { DeprecatedCallCounter } from './infrastructure/deprecated-calls/deprecated-call.counter.js';
import { LastUses } from './infrastructure/keys/last-uses.js';
import { RateLimiter } from './infrastructure/limits/rate-limiter.js';
import type { KeyFacts } from './key-facts.js';

type OptionsOf<Options extends { forRoot(options: never): unknown }> = NonNullable<
  Parameters<Options['forRoot']>[0]
>;

@Injectable()
export class AccessRateLimits {
  private readonly logger = new Logger('RateLimits');

  constructor(
    private readonly limiter: RateLimiter,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  create(): OptionsOf<typeof RateLimitingModule> {
    const { limiter, clock, metrics } = this;
    return {
      store: limiter.store,
      subjectOf: requestSubject(this.settings),
      now: clock.now,
      onDecision: metrics.limitDecided,
      onBan: (ban, { id: subject, caller = subject, label = WITHOUT_PLAN }) => {
        metrics.banStarted(label);
        const { keyId, account, address } = bannedOf(callerText({ subject, caller }));
        const who = address === null ? { account, keyId } : { address };
        const bannedUntil = new Date(clock.now() + ban.seconds * 1_000).toISOString();
        const { refusals } = ban;
        const message = `A caller is banned: within a minute ${refusals} of its requests were refused. "keys unban" lifts the ban.`;
        this.logger.warn({ ...who, bannedUntil, refusals, message });
      },
    };
  }
}

@Injectable()
export class AccessKeys {
  constructor(
    private readonly store: ApiKeyStore,
    private readonly issuer: StoreKeyIssuer,
    private readonly lastUses: LastUses,
    private readonly limiter: RateLimiter,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  create(): OptionsOf<typeof ApiKeysModule> {
    const { store, issuer, lastUses, limiter, settings, clock } = this;
    const addressOf = addressOnlySubject(settings);
    const { corsOrigins } = settings.server;
    return {
      store,
      // The issuer of the service, with history and bounds, for all modules.
      issuer,
      prefix: settings.api.keyPrefix,
      scopes,
      realm: 'animal-store',
      now: clock.now,
      // KeyChangesPoller reads them, with the lifts of bans.
      pollsChanges: false,
      onFirstUseOfDay: lastUses.note,
      ...(corsOrigins.length > 0 && {
        isExempt: (request: IncomingMessage) => isPreflightFrom(corsOrigins, request),
      }),
      // The rate limiter refuses the request anyway, unless the key turns out to be valid.
      throttleLookUps: (request) => !limiter.store.peek(addressOf(request), clock.now()).allowed,
    };
  }
}

@Injectable()
export class AccessDeprecation {
  constructor(
    private readonly calls: DeprecatedCallCounter,
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  create(): OptionsOf<typeof DeprecationModule> {
    return {
      now: this.clock.now,
      onCall: (request, { name }) => {
        this.metrics.deprecatedOperationCalled(name);
        this.calls.count(name, callerOf<KeyFacts>(request));
      },
    };
  }
}
