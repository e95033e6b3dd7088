import { Column, Entity, Index, PrimaryColumn, type ValueTransformer } from 'typeorm';

/** The drivers return a bigint as a text, a bigint or a number. */
const AS_NUMBER: ValueTransformer = { to: (value: unknown) => value, from: Number };

/** A row of `idempotency_records`: the response to the first request with a key. */
@Entity({ name: 'idempotency_records' })
export class IdempotencyRecord {
  @PrimaryColumn({ type: 'text' })
  caller: string;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key' })
  value: string;

  @Column({ type: 'text' })
  fingerprint: string;

  @Column({ type: 'integer', nullable: true })
  status: number | null;

  @Column({ type: 'simple-json' })
  headers: Record<string, string | readonly string[]>;

  @Column({ type: 'text' })
  body: string;

  /** Milliseconds since the Unix epoch. */
  @Index('idempotency_records_created_at')
  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;
}
