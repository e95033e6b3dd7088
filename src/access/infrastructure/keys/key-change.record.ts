import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `key_changes`. Its properties are those of the domain. */
@Entity({ name: 'key_changes' })
export class KeyChangeRecord {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: bigint;

  @Column({ type: 'text' })
  subject: string;

  @Column({ type: 'bigint', name: 'changed_at', transformer: AS_NUMBER })
  atMs: number;

  @Column({ type: 'text', name: 'changed_by' })
  by: string;

  /** JSON. */
  @Column({ type: 'text', name: 'before_change', nullable: true })
  before: string | null;

  /** JSON. */
  @Column({ type: 'text', name: 'after_change' })
  after: string;
}
