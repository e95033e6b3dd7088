import { Injectable } from '@nestjs/common';
import type { Precondition } from '@animal-store/kernel';
import { SellPet } from '../../pets/application/sell-pet.use-case.js';
import type { Order } from '../domain/order.js';
import { EndOrder } from './end-order.js';

/** Completes an open order and marks its animal as sold. */
@Injectable()
export class CompleteOrder {
  constructor(
    private readonly endOrder: EndOrder,
    private readonly sellPet: SellPet,
  ) {}

  /**
   * @throws OrderNotFound when the account has no order with this id.
   * @throws OrderNotOpen when the order is finished. What `precondition` throws comes first.
   */
  execute(account: string, id: bigint, precondition?: Precondition<Order>): Promise<Order> {
    const end = (open: Order, nowMs: number) => open.complete(nowMs);
    return this.endOrder.execute(account, id, end, this.sellPet, precondition);
  }
}
