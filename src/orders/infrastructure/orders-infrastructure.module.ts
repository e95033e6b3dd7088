import { Module } from '@nestjs/common';
import { OrderRepository } from '../domain/order.repository.js';
import { TypeOrmOrderRepository } from './typeorm-order.repository.js';

@Module({
  providers: [{ provide: OrderRepository, useClass: TypeOrmOrderRepository }],
  exports: [OrderRepository],
})
export class OrdersInfrastructureModule {}
