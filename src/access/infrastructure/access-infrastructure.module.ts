import { Module } from '@nestjs/common';
import { ApiKeyStore } from '@animal-store/api-keys';
import { Settings } from '../../platform/config/settings.js';
import { Database } from '../../platform/database/database.js';
import { Clock } from '@animal-store/kernel';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { KeyGenerator } from '../domain/key-generator.js';
import { Plans } from '../domain/plan.js';
import { UsageReader } from '../domain/usage.reader.js';
import { DatabaseUsageReader } from './database-usage.reader.js';
import { RandomKeyGenerator } from './random-key.generator.js';
import { RedisUsageReader } from './redis-usage.reader.js';
import { RepositoryApiKeyStore } from './repository-api-key.store.js';
import { TypeOrmApiKeyRepository } from './typeorm-api-key.repository.js';

@Module({
  providers: [
    { provide: ApiKeyRepository, useClass: TypeOrmApiKeyRepository },
    { provide: ApiKeyStore, useClass: RepositoryApiKeyStore },
    { provide: KeyGenerator, useClass: RandomKeyGenerator },
    { provide: Plans, inject: [Settings], useFactory: ({ rateLimits }: Settings) => new Plans(rateLimits) },
    {
      provide: UsageReader,
      inject: [Settings, Database, Clock],
      useFactory: ({ redis }: Settings, database: Database, clock: Clock) =>
        redis ? new RedisUsageReader(redis.url, clock) : new DatabaseUsageReader(database, clock),
    },
  ],
  exports: [ApiKeyRepository, ApiKeyStore, KeyGenerator, Plans, UsageReader],
})
export class AccessInfrastructureModule {}
