import { Check, Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from '../domain/order-status.js';

/** A row of `orders`. Instants are milliseconds since the Unix epoch. */
@Entity({ name: 'orders' })
@Index('orders_account_id', ['account', 'id'])
@Index('orders_account_status_id', ['account', 'status', 'id'])
@Index('orders_open_pet_id', ['petId'], { unique: true, where: "status = 'placed'" })
@Check('orders_status_check', "status IN ('placed', 'completed', 'cancelled')")
export class OrderRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  account: string;

  @Column({ type: 'bigint', name: 'pet_id' })
  petId: bigint;

  @Column({ type: 'text' })
  status: OrderStatus;

  @Column({ type: 'bigint', name: 'placed_at' })
  placedAt: bigint;

  @Column({ type: 'bigint', name: 'updated_at' })
  updatedAt: bigint;
}
