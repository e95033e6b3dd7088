import { Module } from '@nestjs/common';
import { PetsModule } from '../pets/pets.module.js';
import { StoreApplicationModule } from './application/store-application.module.js';
import { OrdersController } from './http/orders.controller.js';
import { StoreInfrastructureModule } from './infrastructure/store-infrastructure.module.js';

@Module({
  imports: [StoreApplicationModule.over(StoreInfrastructureModule, PetsModule)],
  controllers: [OrdersController],
})
export class StoreModule {}
