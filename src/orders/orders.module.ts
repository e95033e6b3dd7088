import { Module } from '@nestjs/common';
import { PetsModule } from '../pets/pets.module.js';
import { StoreApplicationModule } from './application/orders-application.module.js';
import { OrdersController } from './http/orders.controller.js';
import { StoreInfrastructureModule } from './infrastructure/orders-infrastructure.module.js';

@Module({
  imports: [StoreApplicationModule.over(StoreInfrastructureModule, PetsModule)],
  controllers: [OrdersController],
})
export class StoreModule {}
