import { Injectable } from '@nestjs/common';
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
   * @throws OrderNotOpen when the order is finished.
   */
  execute(account: string, id: bigint): Promise<Order> {
    return this.endOrder.execute(account, id, (open, nowMs) => open.complete(nowMs), this.sellPet);
  }
}
