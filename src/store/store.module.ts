import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { PetsModule } from '../pets/pets.module.js';
import { StoreApplicationModule } from './application/store-application.module.js';
import { OrdersController } from './http/orders.controller.js';
import { StoreInfrastructureModule } from './infrastructure/store-infrastructure.module.js';

@Module({
  imports: [StoreApplicationModule.over(StoreInfrastructureModule, PetsModule), IdempotencyModule],
  controllers: [OrdersController],
})
export class StoreModule {}
