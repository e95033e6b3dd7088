import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { CancelOrder } from './cancel-order.use-case.js';
import { CompleteOrder } from './complete-order.use-case.js';
import { GetOrder } from './get-order.use-case.js';
import { ListOrders } from './list-orders.use-case.js';
import { PlaceOrder } from './place-order.use-case.js';

const useCases = [ListOrders, PlaceOrder, GetOrder, CompleteOrder, CancelOrder];

/** What can be done with orders, over whatever `infrastructure` provides the ports and `pets` the animals' use cases. */
@Module({ providers: useCases, exports: useCases })
export class OrdersApplicationModule {
  static over(infrastructure: Type, pets: Type): DynamicModule {
    return { module: OrdersApplicationModule, imports: [infrastructure, pets] };
  }
}
