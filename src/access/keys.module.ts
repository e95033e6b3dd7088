import { hostname, userInfo } from 'node:os';
import { Module } from '@nestjs/common';
import { ApiKeyStore } from '@animal-store/api-keys';
import { keyIssuer, StoreKeyIssuer } from './application/key-issuer.js';
import { Clock, UnitOfWork } from '@animal-store/kernel';
import { RedisRateLimitStore } from '@animal-store/rate-limiting';
import { Database } from '@animal-store/database';
import { scopes } from '../scopes.js';
import { Settings } from '../settings/settings.js';
import { ChangeAccount } from './application/change-account.use-case.js';
import { ChangeKey } from './application/change-key.use-case.js';
import { CreateKey } from './application/create-key.use-case.js';
import { FindKey } from './application/find-key.use-case.js';
import { LiftBan } from './application/usage/lift-ban.use-case.js';
import { ListBans } from './application/usage/list-bans.use-case.js';
import { ListDeprecatedCallers } from './application/usage/list-deprecated-callers.use-case.js';
import { ListKeys } from './application/list-keys.use-case.js';
import { OwnKeys } from './application/own-keys.use-case.js';
import { ReadUsage } from './application/usage/read-usage.js';
import { KeyGenerator } from './domain/api-key.js';
import { ApiKeyRepository } from './domain/api-key.repository.js';
import { LiftRepository } from './domain/ban.js';
import { DeprecatedCallRepository } from './domain/deprecated-calls.js';
import { KeyHistory, Operator } from './domain/key-history.js';
import { Plans } from './domain/plan.js';
import { UsageReader } from './domain/usage.reader.js';
import { TypeOrmDeprecatedCallRepository } from './infrastructure/deprecated-calls/typeorm-deprecated-call.repository.js';
import { DatabaseUsageReader } from './infrastructure/limits/database-usage.reader.js';
import { RandomKeyGenerator } from './infrastructure/keys/random-key.generator.js';
import { RedisUsageReader } from './infrastructure/limits/redis-usage.reader.js';
import { TypeOrmLiftRepository } from './infrastructure/limits/typeorm-lift.repository.js';
import { TypeOrmKeyHistory } from './infrastructure/keys/typeorm-key-history.js';
import { TypeOrmApiKeyRepository } from './infrastructure/keys/typeorm-api-key.repository.js';

const useCases = [
  CreateKey,
  ChangeKey,
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
    { provide: KeyGenerator, useClass: RandomKeyGenerator },
    {
      provide: StoreKeyIssuer,
      inject: [ApiKeyRepository, Plans, KeyGenerator, Clock, KeyHistory, Operator, UnitOfWork, Settings],
      useFactory: (
        keys: ApiKeyRepository,
        plans: Plans,
        generator: KeyGenerator,
        clock: Clock,
        history: KeyHistory,
        operator: Operator,
        unitOfWork: UnitOfWork,
        { api, keys: { perAccount: maxKeys } }: Settings,
      ) => {
        const parts = { keys, plans, generator, clock, history, operator, unitOfWork };
        return keyIssuer({ ...parts, prefix: api.keyPrefix, scopes, maxKeys });
      },
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
  exports: [...useCases, ApiKeyStore, StoreKeyIssuer, Plans],
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
