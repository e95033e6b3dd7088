import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { OrderStatus } from '../domain/order-status.js';

/** An instant is stored in milliseconds since the Unix epoch. */
const INSTANT = { to: (ms: number) => BigInt(ms), from: (stored: bigint) => Number(stored) };

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

  @Column({ type: 'bigint', name: 'placed_at', transformer: INSTANT })
  placedAtMs: number;

  @Column({ type: 'bigint', name: 'updated_at', transformer: INSTANT })
  updatedAtMs: number;
}
