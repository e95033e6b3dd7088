import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import type { Order } from '../domain/order.js';
import { OrderNotOpen } from '../domain/order.errors.js';
import { OrderRepository } from '../domain/order.repository.js';
import { EndOrder } from './end-order.use-case.js';

const ORDERS_A_STEP = 100;

/** How long an order may stay open, in milliseconds; null for ever. */
export abstract class OrderExpiry {
  abstract readonly afterMs: number | null;
}

/** Cancels the orders that have been open for too long, and makes their animals available again. */
@Injectable()
export class ExpireOrders {
  constructor(
    private readonly orders: OrderRepository,
    private readonly endOrder: EndOrder,
    private readonly clock: Clock,
    private readonly expiry: OrderExpiry,
  ) {}

  get isOn(): boolean {
    return this.expiry.afterMs !== null;
  }

  /** Each order has its own transaction. @throws the error of the first that cannot be cancelled, after the others */
  async execute(signal: AbortSignal): Promise<void> {
    const { afterMs } = this.expiry;
    if (afterMs === null) return;
    const beforeMs = this.clock.now() - afterMs;
    const problems: unknown[] = [];
    for (let after: Order | null = null; ;) {
      const open: readonly Order[] = await this.orders.listOpen({ beforeMs, after, limit: ORDERS_A_STEP });
      for (const { account, id } of open) {
        signal.throwIfAborted();
        await this.endOrder.execute(account, id, 'cancel').catch((error: unknown) => {
          // The account has ended the order first.
          if (!(error instanceof OrderNotOpen)) problems.push(error);
        });
      }
      if (open.length < ORDERS_A_STEP) break;
      after = open.at(-1)!;
    }
    if (problems.length > 0) throw problems[0];
  }
}
