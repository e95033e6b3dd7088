import { Module } from '@nestjs/common';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { OrdersApplicationModule } from './application/orders-application.module.js';
import { OrdersController } from './http/orders.controller.js';
import { ExpireOrdersJob } from './jobs/expire-orders.job.js';

/** The orders for animals: the controller and the job, both of which call use cases. */
@Module({
  imports: [IdempotencyModule, OrdersApplicationModule],
  controllers: [OrdersController],
  providers: [ExpireOrdersJob],
  exports: [OrdersApplicationModule],
})
export class OrdersModule {}
