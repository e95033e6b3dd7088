import { Column, Entity, PrimaryColumn, type ValueTransformer } from 'typeorm';
import type { ManagedKeyState } from '../issuing/managed-key.js';

/** The drivers return a bigint as a text, a bigint or a number. */
const AS_NUMBER: ValueTransformer = {
  to: (value: unknown) => value,
  from: (value: string | bigint | number | null) => (value === null ? null : Number(value)),
};

/** The columns of a table of keys. Its properties are those of `ManagedKey`. */
export abstract class ApiKeyColumns {
  @PrimaryColumn({ type: 'text' })
  id: string;

  /** SHA-256 in hexadecimal. The text of the key is never stored. */
  @Column({ type: 'text' })
  hash: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  account: string;

  /** Separated by spaces; null for all. */
  @Column({ type: 'text', nullable: true })
  scopes: string | null;

  @Column({ type: 'bigint', name: 'created_at', transformer: AS_NUMBER })
  createdAtMs: number;

  @Column({ type: 'text', name: 'created_by', nullable: true })
  createdBy: string | null;

  @Column({ type: 'bigint', name: 'expires_at', nullable: true, transformer: AS_NUMBER })
  expiresAtMs: number | null;

  @Column({ type: 'bigint', name: 'revoked_at', nullable: true, transformer: AS_NUMBER })
  revokedAtMs: number | null;

  @Column({ type: 'text', name: 'replaced_by', nullable: true })
  replacedBy: string | null;

  /** Null when the key was never changed, so that servers polling for changes do not read new keys. */
  @Column({ type: 'bigint', name: 'changed_at', nullable: true, transformer: AS_NUMBER })
  changedAtMs: number | null;
}

/** A row of `api_keys` of an application that has no record of its own. */
@Entity({ name: 'api_keys' })
export class ApiKeyRecord extends ApiKeyColumns {
  /** The facts of the application: JSON. */
  @Column({ type: 'text' })
  facts: string;
}

/** What a row has of a key's own fields; the rest are facts. */
export function columnsOf({ scopes, ...key }: ManagedKeyState): ApiKeyColumns {
  const { id, hash, name, account, createdBy, replacedBy } = key;
  const { createdAtMs, expiresAtMs, revokedAtMs, changedAtMs } = key;
  const times = { createdAtMs, expiresAtMs, revokedAtMs, changedAtMs };
  return { id, hash, name, account, scopes: scopes?.join(' ') ?? null, ...times, createdBy, replacedBy };
}

/** The scopes in a column. */
export function scopesIn(stored: string | null): readonly string[] | null {
  return stored === null ? null : stored.split(' ');
}
