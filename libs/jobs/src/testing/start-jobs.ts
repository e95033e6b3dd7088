import { Module, type Type } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { type Database, DatabaseModule } from '@animal-store/database';
import { Clock } from '@animal-store/kernel';
import { JobWorker } from '../job-worker.js';
import { JobsModule } from '../jobs.module.js';

@Module({})
class ClockModule {}

/** A process that runs jobs of these classes. */
export async function startJobs(database: Database, clock: Clock, classes: Type[]): Promise<TestingModule> {
  const providers = [{ provide: Clock, useValue: clock }];
  const imports = [
    DatabaseModule.forRoot(database),
    { module: ClockModule, global: true, providers, exports: providers },
    JobsModule,
  ];
  const started = await Test.createTestingModule({ imports, providers: classes }).compile();
  // Without the hook that closes the database.
  await started.get(JobWorker).onApplicationBootstrap();
  return started;
}
