import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { OrderStatus } from '../domain/order.rules.js';

/** A row of `orders`. Its properties are those of the domain. */
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

  @Column({ type: 'bigint', name: 'placed_at', transformer: AS_NUMBER })
  placedAtMs: number;

  @Column({ type: 'bigint', name: 'updated_at', transformer: AS_NUMBER })
  updatedAtMs: number;
}
