import { Column, Entity, Index, PrimaryColumn, type ValueTransformer } from 'typeorm';

/** The drivers return a bigint as a text, a bigint or a number. */
const AS_NUMBER: ValueTransformer = { to: (value: unknown) => value, from: Number };

/** A row of `idempotency_records`: the response to the first request with a key. */
@Entity({ name: 'idempotency_records' })
export class IdempotencyRecord {
  /** The column is older: it had the API key. */
  @PrimaryColumn({ type: 'text', name: 'api_key_id' })
  caller: string;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key' })
  value: string;

  @Column({ type: 'text' })
  fingerprint: string;

  /** The body of the response; empty when there is none. */
  @Column({ type: 'text' })
  body: string;

  /** The headers of this response. */
  @Column({ type: 'simple-json' })
  headers: Readonly<Record<string, string | readonly string[]>>;

  /** Milliseconds since the Unix epoch. */
  @Index('idempotency_records_created_at')
  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  /** Null in rows of versions that did not store it: the operation's usual status. */
  @Column({ type: 'integer', nullable: true })
  status: number | null;
}
