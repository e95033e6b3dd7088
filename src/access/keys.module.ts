import { hostname, userInfo } from 'node:os';
import { Module } from '@nestjs/common';
import { ApiKeyStore } from '@animal-store/api-keys';
import { Clock } from '@animal-store/kernel';
import { RedisRateLimitStore } from '@animal-store/rate-limiting';
import { Database } from '@animal-store/database';
import { scopes } from '../contexts.js';
import { Settings } from '../settings/settings.js';
import { ChangeAccount } from './application/change-account.use-case.js';
import { FindKey } from './application/find-key.use-case.js';
import { FirstKey } from './application/first-key.use-case.js';
import { KeySettings, StoreKeyIssuer } from './application/key-issuer.use-case.js';
import { LiftBan } from './application/usage/lift-ban.use-case.js';
import { ListBans } from './application/usage/list-bans.use-case.js';
import { ListDeprecatedCallers } from './application/usage/list-deprecated-callers.use-case.js';
import { ListKeys } from './application/list-keys.use-case.js';
import { OwnKeys } from './application/own-keys.use-case.js';
import { ReadUsage } from './application/usage/read-usage.js';
import { ApiKeyRepository } from './domain/api-key.repository.js';
import { LiftRepository } from './domain/ban.js';
import { DeprecatedCallRepository } from './domain/deprecated-calls.js';
import { KeyHistory, Operator } from './domain/key-history.js';
import { Plans } from './domain/plan.js';
import { UsageReader } from './domain/usage.reader.js';
import { TypeOrmDeprecatedCallRepository } from './infrastructure/deprecated-calls/typeorm-deprecated-call.repository.js';
import { DatabaseUsageReader } from './infrastructure/limits/database-usage.reader.js';
import { RedisUsageReader } from './infrastructure/limits/redis-usage.reader.js';
import { TypeOrmLiftRepository } from './infrastructure/limits/typeorm-lift.repository.js';
import { TypeOrmKeyHistory } from './infrastructure/keys/typeorm-key-history.js';
import { TypeOrmApiKeyRepository } from './infrastructure/keys/typeorm-api-key.repository.js';

const useCases = [
  StoreKeyIssuer,
  FirstKey,
  ChangeAccount,
  FindKey,
  ListKeys,
  ListBans,
  LiftBan,
  ListDeprecatedCallers,
  OwnKeys,
];

/** The use cases of API keys. The command line has them without the rest of the server. */
@Module({
  providers: [
    ...useCases,
    ReadUsage,
    { provide: ApiKeyRepository, useClass: TypeOrmApiKeyRepository },
    { provide: KeyHistory, useClass: TypeOrmKeyHistory },
    { provide: Operator, useFactory: operatorOfProcess },
    { provide: LiftRepository, useClass: TypeOrmLiftRepository },
    { provide: DeprecatedCallRepository, useClass: TypeOrmDeprecatedCallRepository },
    { provide: ApiKeyStore, useExisting: ApiKeyRepository },
    {
      provide: KeySettings,
      inject: [Settings],
      useFactory: ({ api, keys }: Settings): KeySettings => ({
        prefix: api.keyPrefix,
        scopes,
        maxKeys: keys.perAccount,
      }),
    },
    { provide: Plans, inject: [Settings], useFactory: ({ rateLimits }: Settings) => new Plans(rateLimits) },
    {
      provide: UsageReader,
      inject: [Settings, Database, Clock],
      useFactory: async ({ redis }: Settings, database: Database, clock: Clock) =>
        redis
          ? new RedisUsageReader(await RedisRateLimitStore.at(redis.url), clock)
          : new DatabaseUsageReader(database, clock),
    },
  ],
  exports: [...useCases, ApiKeyStore, Plans],
})
export class KeysModule {}

function operatorOfProcess(): Operator {
  return { name: `${userOfProcess()}@${hostname()}` };
}

function userOfProcess(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no name.
    return `uid ${process.getuid?.()}`;
  }
}
