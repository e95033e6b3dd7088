import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import type { NewOrder, Order } from './order.js';
import type { OrderStatus } from './order.rules.js';

export interface OrderFilter {
  readonly account: string;
  /** Orders with any of these. */
  readonly status?: readonly OrderStatus[];
}

/** Which open orders of all accounts: those placed before `beforeMs`, after the position `after`. */
export interface OpenOrders {
  readonly beforeMs: number;
  readonly after: Pick<Order, 'id' | 'placedAtMs'> | null;
  readonly limit: number;
}

/** The orders of all accounts. Every method but `listOpen` returns those of one account. Ids grow from 1. */
export abstract class OrderRepository {
  /**
   * Stores the new order and returns it with its id. It can be found once `transaction` is committed.
   * @throws PetAlreadyOrdered when another order for the animal is open.
   */
  abstract add(order: NewOrder, transaction: Transaction): Promise<Order>;

  /** The account's order, or null when it has none with this id. In a transaction it is locked until that ends. */
  abstract findOneBy(key: Pick<Order, 'account' | 'id'>, within?: Transaction): Promise<Order | null>;

  /** Stores what its verbs have changed of a locked order. */
  abstract save(order: Order, transaction: Transaction): Promise<void>;

  /** Open orders of all accounts, the oldest first. */
  abstract listOpen(open: OpenOrders): Promise<readonly Order[]>;

  /** The account's orders that match `filter`, a page at a time, ascending by id. */
  abstract list(filter: OrderFilter, page: PageRequest): Promise<Page<Order>>;
}
