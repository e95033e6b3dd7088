import { Injectable } from '@nestjs/common';
import { Database, UniqueViolation } from '@animal-store/database';
import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import { type NewOrder, Order } from '../domain/order.js';
import { PetAlreadyOrdered } from '../domain/order.errors.js';
import { type OpenOrders, type OrderFilter, OrderRepository } from '../domain/order.repository.js';
import { ORDER_STATUSES } from '../domain/order.rules.js';
import { OrderRecord } from './order.record.js';

/** Orders in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmOrderRepository extends OrderRepository {
  private readonly statements: ReturnType<typeof orderStatements>;

  constructor(database: Database) {
    super();
    this.statements = orderStatements(database);
  }

  async add(order: NewOrder, transaction: Transaction): Promise<Order> {
    try {
      const id = await this.statements.insert.execute(order, transaction);
      return Order.restore({ id, ...order });
    } catch (error) {
      throw error instanceof UniqueViolation ? new PetAlreadyOrdered(order.petId) : error;
    }
  }

  async change(
    account: string,
    id: bigint,
    change: (order: Order) => Order,
    transaction: Transaction,
  ): Promise<Order | null> {
    const record = await this.statements.byIdLocked.getOne({ account, id }, transaction);
    if (!record) return null;
    const changed = change(Order.restore(record));
    await this.statements.update.execute(changed, transaction);
    return changed;
  }

  async findById(account: string, id: bigint): Promise<Order | null> {
    const record = await this.statements.byId.getOne({ account, id });
    return record && Order.restore(record);
  }

  async listOpen({ beforeMs, after, limit }: OpenOrders): Promise<readonly Order[]> {
    const { placedAtMs, id } = after ?? { placedAtMs: 0, id: 0n };
    const open = { before: beforeMs, afterMs: placedAtMs, afterId: id, limit };
    return (await this.statements.open.getMany(open)).map((row) => Order.restore(row));
  }

  async list(account: string, filter: OrderFilter, page: PageRequest): Promise<Page<Order>> {
    return this.statements.list.getPage({ account, ...filter }, page);
  }
}

function orderStatements(database: Database) {
  const orders = database.statements(OrderRecord, 'order');
  return {
    insert: orders.insert(),
    byId: orders.find({ equal: ['account', 'id'] }),
    byIdLocked: orders.find({ equal: ['account', 'id'], lock: true }),
    // The account and the animal of an order never change.
    update: orders.update(['status', 'updatedAtMs'], { equal: ['id'] }),
    open: orders.select<{ before: number; afterMs: number; afterId: bigint; limit: number }>(
      (order) =>
        order
          .where("order.status = 'placed' AND order.placedAtMs < :before")
          .andWhere('(order.placedAtMs, order.id) > (:afterMs, :afterId)')
          .orderBy('order.placedAtMs')
          .addOrderBy('order.id'),
      { limit: 'limit' },
    ),
    list: orders.list((row) => Order.restore(row), {
      equal: ['account', 'status'],
      optional: ['status'],
      several: { column: 'status', max: ORDER_STATUSES.length },
    }),
  };
}
