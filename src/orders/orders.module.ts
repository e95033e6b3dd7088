import { Module } from '@nestjs/common';
import { PetsModule } from '../pets/pets.module.js';
import { CancelOrder } from './application/cancel-order.use-case.js';
import { CompleteOrder } from './application/complete-order.use-case.js';
import { EndOrder } from './application/end-order.js';
import { GetOrder } from './application/get-order.use-case.js';
import { ListOrders } from './application/list-orders.use-case.js';
import { PlaceOrder } from './application/place-order.use-case.js';
import { OrderRepository } from './domain/order.repository.js';
import { OrdersController } from './http/orders.controller.js';
import { TypeOrmOrderRepository } from './infrastructure/typeorm-order.repository.js';

@Module({
  imports: [PetsModule],
  controllers: [OrdersController],
  providers: [
    ListOrders,
    PlaceOrder,
    GetOrder,
    CompleteOrder,
    CancelOrder,
    EndOrder,
    { provide: OrderRepository, useClass: TypeOrmOrderRepository },
  ],
})
export class OrdersModule {}
