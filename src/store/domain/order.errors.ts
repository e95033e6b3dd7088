import { DomainError } from '../../shared/domain-error.js';
import type { OrderStatus } from './order-status.js';

export class OrderNotFound extends DomainError {
  constructor() {
    super('order_not_found', 'not-found', 'No order of this account has this orderId.');
  }
}

export class OrderNotOpen extends DomainError {
  constructor(status: OrderStatus) {
    super('order_not_open', 'conflict', `The order is ${status} already.`);
  }
}

export class UnknownPet extends DomainError {
  constructor() {
    super('unknown_pet', 'invalid', 'petId names no animal.');
  }
}

/** To the caller it is the same as any other animal that cannot be had. */
export class PetAlreadyOrdered extends DomainError {
  constructor() {
    super('pet_not_available', 'conflict', 'The animal has an open order already.');
  }
}
