import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { VisitsService } from './application/visits.service.js';
import { VisitRepository } from './domain/visit.repository.js';
import { VisitsController } from './http/visits.controller.js';
import { TypeOrmVisitRepository } from './infrastructure/typeorm-visit.repository.js';

@Module({
  imports: [IdempotencyModule],
  controllers: [VisitsController],
  providers: [VisitsService, { provide: VisitRepository, useClass: TypeOrmVisitRepository }],
})
export class VisitsModule {}
