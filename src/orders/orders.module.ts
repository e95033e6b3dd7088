import { Module } from '@nestjs/common';
import { PetsModule } from '../pets/pets.module.js';
import { OrdersApplicationModule } from './application/orders-application.module.js';
import { OrdersController } from './http/orders.controller.js';
import { OrdersInfrastructureModule } from './infrastructure/orders-infrastructure.module.js';

@Module({
  imports: [OrdersApplicationModule.over(OrdersInfrastructureModule, PetsModule)],
  controllers: [OrdersController],
})
export class OrdersModule {}
