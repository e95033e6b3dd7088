import { DomainError } from '@animal-store/kernel';
import type { OrderStatus } from './order.rules.js';

export class OrderNotFound extends DomainError {
  static readonly when = 'No order of this account has this id.';
  static readonly fix = 'An account sees only its own orders: check which API key you use.';
  static readonly example = new OrderNotFound(1n);

  /** @param id as the caller sent it, which may be text that is no id */
  constructor(id: bigint | string) {
    super('order_not_found', 'not-found', `No order of this account has id ${id}.`);
  }
}

export class OrderNotOpen extends DomainError {
  static readonly when = 'The order is completed or cancelled already.';
  static readonly fix = 'Fetch it to see how it ended.';
  static readonly example = new OrderNotOpen(1n, 'completed');

  constructor(id: bigint, status: OrderStatus) {
    super('order_not_open', 'conflict', `Order ${id} is ${status} already.`);
  }
}

/** Callers see the same error as for any other animal that is not available. */
export class PetAlreadyOrdered extends DomainError {
  static readonly when = 'The animal is not available.';
  static readonly fix =
    'Another order was faster, perhaps your own, whose response was lost: see your orders. Else choose an available animal.';
  static readonly example = new PetAlreadyOrdered(7n);

  constructor(petId: bigint) {
    super('pet_not_available', 'conflict', `Animal ${petId} has an open order already.`);
  }
}
