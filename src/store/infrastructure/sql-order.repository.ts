import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { lockingSelect } from '../../database/locking-select.js';
import { UniqueViolation } from '../../database/unique-violation.js';
import { BEFORE_FIRST_ID, type Page, pageOf } from '../../shared/page.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import { type NewOrder, Order } from '../domain/order.js';
import { PetAlreadyOrdered } from '../domain/order.errors.js';
import { type OrderFilter, OrderRepository } from '../domain/order.repository.js';
import type { OrderRecord } from './order.record.js';
import { toOrder } from './order-record.mapper.js';

const COLUMNS = 'id, account, pet_id AS "petId", status, placed_at AS "placedAt", updated_at AS "updatedAt"';
const INSERT = `INSERT INTO orders (account, pet_id, status, placed_at, updated_at)
  VALUES ($1, $2, $3, $4, $5)`;
const BY_ID = `SELECT ${COLUMNS} FROM orders WHERE account = $1 AND id = $2`;
const BY_ID_LOCKED = lockingSelect(BY_ID);
/** Whose order it is and for which animal never changes. */
const UPDATE = 'UPDATE orders SET status = $2, updated_at = $3 WHERE id = $1';
const PAGE = `SELECT ${COLUMNS} FROM orders WHERE account = $1 AND id > $2 ORDER BY id LIMIT $3`;
const PAGE_BY_STATUS = `SELECT ${COLUMNS} FROM orders
  WHERE account = $1 AND status = $2 AND id > $3 ORDER BY id LIMIT $4`;

/** Orders in SQLite or PostgreSQL: the same statements for both. */
@Injectable()
export class SqlOrderRepository extends OrderRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add(order: NewOrder, transaction: Transaction): Promise<Order> {
    const { account, petId, status, placedAtMs, updatedAtMs } = order;
    const session = this.database.session(transaction);
    try {
      const values = [account, petId, status, BigInt(placedAtMs), BigInt(updatedAtMs)];
      const id = await session.insert(INSERT, values);
      return Order.restore({ id, account, petId, status, placedAtMs, updatedAtMs });
    } catch (error) {
      throw error instanceof UniqueViolation ? new PetAlreadyOrdered(petId) : error;
    }
  }

  async change(
    account: string,
    id: bigint,
    change: (order: Order) => Order,
    transaction: Transaction,
  ): Promise<Order | null> {
    const session = this.database.session(transaction);
    const [record] = await session.query<OrderRecord>(BY_ID_LOCKED[this.database.dialect], [account, id]);
    if (!record) return null;
    const changed = change(toOrder(record));
    await session.query(UPDATE, [id, changed.status, BigInt(changed.updatedAtMs)]);
    return changed;
  }

  async findById(account: string, id: bigint): Promise<Order | null> {
    const [record] = await this.database.query<OrderRecord>(BY_ID, [account, id]);
    return record ? toOrder(record) : null;
  }

  async list(
    account: string,
    { status }: OrderFilter,
    limit: number,
    afterId: bigint | null,
  ): Promise<Page<Order>> {
    const after = afterId ?? BEFORE_FIRST_ID;
    const records = status
      ? await this.database.query<OrderRecord>(PAGE_BY_STATUS, [account, status, after, limit + 1])
      : await this.database.query<OrderRecord>(PAGE, [account, after, limit + 1]);
    return pageOf(records.map(toOrder), limit);
  }
}
