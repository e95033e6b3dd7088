import type { AnimalStatus, OrderStatus } from '../cluster/history.js';
import type { State } from './linearization.js';

/** One animal with all its orders, as the domain has them: what an order does, it does to its animal too. */
export class AnimalState implements State {
  readonly key: string;

  private constructor(
    /** Null before the animal is added. */
    readonly status: AnimalStatus | null,
    private readonly orders: ReadonlyMap<number, OrderStatus>,
  ) {
    this.key = `${status}|${[...orders].join('|')}`;
  }

  static readonly ABSENT = new AnimalState(null, new Map());

  /** @param order the id of an order, which it may have without being placed */
  statusOf(order: number): OrderStatus | null {
    return this.orders.get(order) ?? null;
  }

  add(status: AnimalStatus): AnimalState | null {
    return this.status === null ? new AnimalState(status, this.orders) : null;
  }

  place(order: number): AnimalState | null {
    if (this.status !== 'available' || this.orders.has(order)) return null;
    return new AnimalState('pending', new Map(this.orders).set(order, 'placed'));
  }

  complete(order: number): AnimalState | null {
    return this.end(order, 'completed', 'sold');
  }

  cancel(order: number): AnimalState | null {
    return this.end(order, 'cancelled', 'available');
  }

  private end(order: number, orderStatus: OrderStatus, status: AnimalStatus): AnimalState | null {
    if (this.orders.get(order) !== 'placed') return null;
    return new AnimalState(status, new Map(this.orders).set(order, orderStatus));
  }
}
