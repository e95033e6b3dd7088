import { Column, Entity, PrimaryColumn } from 'typeorm';
import { AS_NUMBER } from '@animal-store/database';

/** A row of `deprecated_calls`: how often a key has called a deprecated operation on a UTC day. */
@Entity({ name: 'deprecated_calls' })
export class DeprecatedCallsRecord {
  /** Counted from the Unix epoch. */
  @PrimaryColumn({ type: 'bigint', transformer: AS_NUMBER })
  day: number;

  @PrimaryColumn({ type: 'text' })
  operation: string;

  @PrimaryColumn({ type: 'text', name: 'key_id' })
  keyId: string;

  /** Null without a valid key. */
  @Column({ type: 'text', nullable: true })
  account: string | null;

  @Column({ type: 'bigint', transformer: AS_NUMBER })
  calls: number;
}
