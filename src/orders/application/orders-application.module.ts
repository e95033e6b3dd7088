import { Module } from '@nestjs/common';
import { JobsModule, JobTime } from '@animal-store/jobs';
import { Clock, DAY_MS } from '@animal-store/kernel';
import { PetsModule } from '../../pets/pets.module.js';
import { Settings } from '../../settings/settings.js';
import { OrdersInfrastructureModule } from '../infrastructure/orders-infrastructure.module.js';
import { EndOrder } from './end-order.use-case.js';
import { ExpireOrders, OrderExpiry } from './expire-orders.use-case.js';
import { GetOrder } from './get-order.use-case.js';
import { ListOrders } from './list-orders.use-case.js';
import { PlaceOrder } from './place-order.use-case.js';

const useCases = [ListOrders, PlaceOrder, GetOrder, EndOrder, ExpireOrders];

@Module({
  imports: [JobsModule, PetsModule, OrdersInfrastructureModule],
  providers: [
    ...useCases,
    // A server whose clock is ahead must not cancel the orders of others.
    { provide: Clock, useExisting: JobTime },
    {
      provide: OrderExpiry,
      inject: [Settings],
      useFactory: ({ orders: { expiryDays } }: Settings): OrderExpiry => ({
        afterMs: expiryDays === 0 ? null : expiryDays * DAY_MS,
      }),
    },
  ],
  exports: useCases,
})
export class OrdersApplicationModule {}
