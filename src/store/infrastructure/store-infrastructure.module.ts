import { Module } from '@nestjs/common';
import { OrderRepository } from '../domain/order.repository.js';
import { SqlOrderRepository } from './sql-order.repository.js';

@Module({
  providers: [{ provide: OrderRepository, useClass: SqlOrderRepository }],
  exports: [OrderRepository],
})
export class StoreInfrastructureModule {}
