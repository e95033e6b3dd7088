import { hostname, userInfo } from 'node:os';
import { Module } from '@nestjs/common';
import { ApiKeyStore } from '@animal-store/api-keys';
import { Database } from '@animal-store/database';
import { Clock } from '@animal-store/kernel';
import { RedisRateLimitStore } from '@animal-store/rate-limiting';
import { Settings } from '../../settings/settings.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { LiftRepository } from '../domain/ban.js';
import { DeprecatedCallRepository } from '../domain/deprecated-calls.js';
import { KeyHistory, Operator } from '../domain/key-history.js';
import { Plans } from '../domain/plan.js';
import { UsageReader } from '../domain/usage.reader.js';
import { TypeOrmDeprecatedCallRepository } from './deprecated-calls/typeorm-deprecated-call.repository.js';
import { TypeOrmApiKeyRepository } from './keys/typeorm-api-key.repository.js';
import { TypeOrmKeyHistory } from './keys/typeorm-key-history.js';
import { DatabaseUsageReader } from './limits/database-usage.reader.js';
import { RedisUsageReader } from './limits/redis-usage.reader.js';
import { TypeOrmLiftRepository } from './limits/typeorm-lift.repository.js';

class OperatorOfProcess extends Operator {
  readonly name = `${userOfProcess()}@${hostname()}`;
}

@Module({
  providers: [
    { provide: ApiKeyRepository, useClass: TypeOrmApiKeyRepository },
    { provide: ApiKeyStore, useExisting: ApiKeyRepository },
    { provide: KeyHistory, useClass: TypeOrmKeyHistory },
    { provide: LiftRepository, useClass: TypeOrmLiftRepository },
    { provide: DeprecatedCallRepository, useClass: TypeOrmDeprecatedCallRepository },
    { provide: Operator, useClass: OperatorOfProcess },
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
  exports: [
    ApiKeyRepository,
    ApiKeyStore,
    KeyHistory,
    LiftRepository,
    DeprecatedCallRepository,
    Operator,
    Plans,
    UsageReader,
  ],
})
export class AccessInfrastructureModule {}

function userOfProcess(): string {
  try {
    return userInfo().username;
  } catch {
    // The user of a container may have no name.
    return `uid ${process.getuid?.()}`;
  }
}
