import { Injectable } from '@nestjs/common';
import { RepositoryOf, UniqueViolation } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { type NewOrder, Order } from '../domain/order.js';
import { PetAlreadyOrdered } from '../domain/order.errors.js';
import type { OpenOrders, OrderRepository } from '../domain/order.repository.js';
import { ORDER_STATUSES } from '../domain/order.rules.js';
import { OrderRecord } from './order.record.js';

const Rows = RepositoryOf(OrderRecord, 'order', {
  toItem: (row) => Order.restore(row),
  key: ['account', 'id'],
  // The account and the animal of an order never change.
  changes: ['status', 'updatedAtMs'],
  list: {
    equal: ['account', 'status'],
    optional: ['status'],
    several: { column: 'status', max: ORDER_STATUSES.length },
  },
});

/** Orders in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmOrderRepository extends Rows implements OrderRepository {
  private readonly open = this.statements.select<{
    before: number;
    afterMs: number;
    afterId: bigint;
    limit: number;
  }>(
    (order) =>
      order
        .where("order.status = 'placed' AND order.placedAtMs < :before")
        .andWhere('(order.placedAtMs, order.id) > (:afterMs, :afterId)')
        .orderBy('order.placedAtMs')
        .addOrderBy('order.id'),
    { limit: 'limit' },
  );

  override async add(order: NewOrder, transaction: Transaction): Promise<Order> {
    try {
      return await super.add(order, transaction);
    } catch (error) {
      throw error instanceof UniqueViolation ? new PetAlreadyOrdered(order.petId) : error;
    }
  }

  async listOpen({ beforeMs, after, limit }: OpenOrders): Promise<readonly Order[]> {
    const { placedAtMs, id } = after ?? { placedAtMs: 0, id: 0n };
    const open = { before: beforeMs, afterMs: placedAtMs, afterId: id, limit };
    return (await this.open.getMany(open)).map((row) => Order.restore(row));
  }
}
