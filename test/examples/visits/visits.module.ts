import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { CreateVisit } from './application/create-visit.use-case.js';
import { GetVisit } from './application/get-visit.use-case.js';
import { VisitRepository } from './domain/visit.repository.js';
import { VisitsController } from './http/visits.controller.js';
import { TypeOrmVisitRepository } from './infrastructure/typeorm-visit.repository.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [VisitsController],
  providers: [CreateVisit, GetVisit, { provide: VisitRepository, useClass: TypeOrmVisitRepository }],
  // What other contexts may call.
  exports: [CreateVisit, GetVisit],
})
export class VisitsModule {}
