import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `address_lifts`: the bans of an address are lifted. */
@Entity({ name: 'address_lifts' })
export class AddressLiftRecord {
  /** An IPv6 address by its /64. */
  @PrimaryColumn({ type: 'text' })
  address: string;

  @Column({ type: 'bigint', name: 'lifted_at', transformer: AS_NUMBER })
  liftedAtMs: number;

  @Column({ type: 'bigint', name: 'changed_at', transformer: AS_NUMBER })
  changedAtMs: number;
}
