import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A row of `visits`. The migration creates the table; a test compares it with this class. */
@Entity({ name: 'visits' })
export class VisitRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' }) id: bigint;
  @Column({ type: 'text' }) name: string;
}
