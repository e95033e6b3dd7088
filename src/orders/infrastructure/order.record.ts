import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from '../domain/order-status.js';

/** A row of `orders`. Instants are milliseconds since the Unix epoch. */
@Entity({ name: 'orders' })
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
