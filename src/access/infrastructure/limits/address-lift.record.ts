import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A row of `address_lifts`: the bans of an address are lifted. Instants are milliseconds since the Unix epoch. */
@Entity({ name: 'address_lifts' })
export class AddressLiftRecord {
  /** An IPv6 address by its /64. */
  @PrimaryColumn({ type: 'text' })
  address: string;

  @Column({ type: 'bigint', name: 'lifted_at' })
  liftedAt: bigint;

  @Column({ type: 'bigint', name: 'changed_at' })
  changedAt: bigint;
}
