import { OrderNotOpen } from './order.errors.js';
import type { OrderStatus } from './order.rules.js';

/** Instants are milliseconds since the Unix epoch. */
export interface OrderState {
  readonly id: bigint;
  /** The account that owns the order: that of the API key which placed it. */
  readonly account: string;
  readonly petId: bigint;
  readonly status: OrderStatus;
  readonly placedAtMs: number;
  readonly updatedAtMs: number;
}

/** A new order. It has no id until it is stored. */
export type NewOrder = Omit<OrderState, 'id'>;

/** An order for one animal. It is immutable: its verbs return the changed order. */
export class Order implements OrderState {
  private constructor(
    readonly id: bigint,
    readonly account: string,
    readonly petId: bigint,
    readonly status: OrderStatus,
    readonly placedAtMs: number,
    readonly updatedAtMs: number,
  ) {}

  static place(account: string, petId: bigint, atMs: number): NewOrder {
    return { account, petId, status: 'placed', placedAtMs: atMs, updatedAtMs: atMs };
  }

  static restore({ id, account, petId, status, placedAtMs, updatedAtMs }: OrderState): Order {
    return new Order(id, account, petId, status, placedAtMs, updatedAtMs);
  }

  /** @throws OrderNotOpen when the order is finished. */
  complete(atMs: number): Order {
    return this.finished('completed', atMs);
  }

  /** @throws OrderNotOpen when the order is finished. */
  cancel(atMs: number): Order {
    return this.finished('cancelled', atMs);
  }

  private finished(status: OrderStatus, atMs: number): Order {
    if (this.status !== 'placed') throw new OrderNotOpen(this.id, this.status);
    // The clock of the host that finishes an order may be earlier than the clock of the host that placed it.
    const updatedAtMs = Math.max(atMs, this.placedAtMs);
    return new Order(this.id, this.account, this.petId, status, this.placedAtMs, updatedAtMs);
  }
}
