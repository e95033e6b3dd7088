import type { Page, PageRequest } from '../../shared/page.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import type { NewOrder, Order } from './order.js';
import type { OrderStatus } from './order-status.js';

export interface OrderFilter {
  readonly status?: OrderStatus;
}

/** All accounts' orders; what is asked for one account sees no other's. Ids start at 1 and only grow. */
export abstract class OrderRepository {
  /**
   * Keeps the order and gives it its id; it can be found once `transaction` is committed.
   * @throws PetAlreadyOrdered when another order for the animal is open.
   */
  abstract add(order: NewOrder, transaction: Transaction): Promise<Order>;

  /**
   * Puts what `change` makes of the account's order in its place and returns it; no other change comes in between.
   * Null when the account has no order with this id.
   */
  abstract change(
    account: string,
    id: bigint,
    change: (order: Order) => Order,
    transaction: Transaction,
  ): Promise<Order | null>;

  /** The account's order, or null when it has none with this id. */
  abstract findById(account: string, id: bigint): Promise<Order | null>;

  /** The account's orders that match `filter`, a page at a time, ascending by id. */
  abstract list(account: string, filter: OrderFilter, page: PageRequest): Promise<Page<Order>>;
}
