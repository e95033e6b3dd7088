import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';
import type { Kennel, Meal } from '../domain/booking.js';

const JSON_TEXT = {
  to: (meals: readonly Meal[]) => JSON.stringify(meals),
  from: (stored: string) => JSON.parse(stored) as Meal[],
};

/** A row of `bookings`. Its properties are those of the domain. */
@Entity({ name: 'bookings' })
export class BookingRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  account: string;

  @Column({ type: 'bigint', name: 'pet_id' })
  petId: bigint;

  @Column({ type: 'text' })
  kennel: Kennel;

  @Column({ type: 'text', name: 'first_day' })
  firstDay: string;

  @Column({ type: 'text', name: 'last_day' })
  lastDay: string;

  @Column({ type: 'bigint', name: 'price_cents' })
  priceCents: bigint;

  @Column({ type: 'bigint', name: 'arrives_at', nullable: true, transformer: AS_NUMBER })
  arrivesAtMs: number | null;

  @Column({ type: 'text', transformer: JSON_TEXT })
  meals: readonly Meal[];
}
