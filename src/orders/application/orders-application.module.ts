import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CancelOrder } from './cancel-order.use-case.js';
import { CompleteOrder } from './complete-order.use-case.js';
import { GetOrder } from './get-order.use-case.js';
import { ListOrders } from './list-orders.use-case.js';
import { PlaceOrder } from './place-order.use-case.js';

const useCases = [ListOrders, PlaceOrder, GetOrder, CompleteOrder, CancelOrder];

/** The use cases of orders. `infrastructure` provides their ports, `pets` the use cases of animals. */
@Module({ providers: useCases, exports: useCases })
export class OrdersApplicationModule {
  static over(infrastructure: Type, pets: Type): DynamicModule {
    return { module: OrdersApplicationModule, imports: [infrastructure, pets] };
  }
}
