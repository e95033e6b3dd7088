import type { DomainEvent } from '@animal-store/kernel';
import type { Order } from './order.js';
import type { OrderStatus } from './order.rules.js';

/** An order was placed, completed or cancelled, as its status says. */
export class OrderChanged implements DomainEvent {
  readonly name: `order.${OrderStatus}`;

  constructor(readonly order: Order) {
    this.name = `order.${order.status}`;
  }
}
