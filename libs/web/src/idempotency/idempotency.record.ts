import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A row of `idempotency_records`: the response to the first request with a key. */
@Entity({ name: 'idempotency_records' })
export class IdempotencyRecord {
  /** The account. The column is older: it had the API key. */
  @PrimaryColumn({ type: 'text', name: 'api_key_id' })
  caller: string;

  @PrimaryColumn({ type: 'text', name: 'idempotency_key' })
  idempotencyKey: string;

  /** A hash of the request: the operation and its input. */
  @Column({ type: 'text' })
  fingerprint: string;

  /** The body of the response; empty when there is none. */
  @Column({ type: 'text' })
  body: string;

  /** The headers of this response, as a JSON object. */
  @Column({ type: 'text' })
  headers: string;

  /** Milliseconds since the Unix epoch. */
  @Column({ type: 'bigint', name: 'created_at' })
  createdAt: bigint;

  /** Null in rows of versions that did not store it: the operation's usual status. */
  @Column({ type: 'integer', nullable: true })
  status: number | null;
}
