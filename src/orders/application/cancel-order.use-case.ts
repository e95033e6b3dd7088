import { Injectable } from '@nestjs/common';
import type { Precondition } from '@animal-store/kernel';
import { ReleasePet } from '../../pets/application/release-pet.use-case.js';
import type { Order } from '../domain/order.js';
import { EndOrder } from './end-order.js';

/** Cancels an open order and makes its animal available again. */
@Injectable()
export class CancelOrder {
  constructor(
    private readonly endOrder: EndOrder,
    private readonly releasePet: ReleasePet,
  ) {}

  /**
   * @throws OrderNotFound when the account has no order with this id.
   * @throws OrderNotOpen when the order is finished. What `precondition` throws comes first.
   */
  execute(account: string, id: bigint, precondition?: Precondition<Order>): Promise<Order> {
    const end = (open: Order, nowMs: number) => open.cancel(nowMs);
    return this.endOrder.execute(account, id, end, this.releasePet, precondition);
  }
}
