import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `address_lifts`: when the ban of an address, or of a key, was lifted last. */
@Entity({ name: 'address_lifts' })
export class LiftRecord {
  /** The storage key of a caller. */
  @PrimaryColumn({ type: 'text', name: 'address' })
  subject: string;

  @Column({ type: 'bigint', name: 'lifted_at', transformer: AS_NUMBER })
  liftedAtMs: number;

  @Column({ type: 'bigint', name: 'changed_at', transformer: AS_NUMBER })
  changedAtMs: number;
}
