import { Module } from '@nestjs/common';
import { DAY_MS } from '@animal-store/kernel';
import { PetsModule } from '../pets/pets.module.js';
import { Settings } from '../settings/settings.js';
import { CancelOrder } from './application/cancel-order.use-case.js';
import { CompleteOrder } from './application/complete-order.use-case.js';
import { EndOrder } from './application/end-order.js';
import { ExpireOrders, OrderExpiry } from './application/expire-orders.use-case.js';
import { GetOrder } from './application/get-order.use-case.js';
import { ListOrders } from './application/list-orders.use-case.js';
import { PlaceOrder } from './application/place-order.use-case.js';
import { OrderRepository } from './domain/order.repository.js';
import { OrdersController } from './http/orders.controller.js';
import { ExpireOrdersJob } from './jobs/expire-orders.job.js';
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
    ExpireOrders,
    ExpireOrdersJob,
    { provide: OrderRepository, useClass: TypeOrmOrderRepository },
    {
      provide: OrderExpiry,
      inject: [Settings],
      useFactory: ({ orders: { expiryDays } }: Settings): OrderExpiry => ({
        afterMs: expiryDays === 0 ? null : expiryDays * DAY_MS,
      }),
    },
  ],
})
export class OrdersModule {}
