import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { PetStatus } from '../domain/pet.rules.js';

/** A row of `pets`. The migrations create the table; a test compares it with this class. */
@Entity({ name: 'pets' })
export class PetRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'bigint', name: 'category_id' })
  categoryId: bigint;

  @Column({ type: 'text' })
  status: PetStatus;
}
