import type { MigrationInterface, QueryRunner } from 'typeorm';

/** First responses were those of a key; a retry may come with another key of the account. The first one counts. */
export class GiveResponsesToAccounts1795000080000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    if (!(await runner.hasTable('api_keys'))) return;
    const rest = 'idempotency_key, fingerprint, body, headers, created_at, status';
    await runner.query(`INSERT INTO idempotency_records (api_key_id, ${rest})
      SELECT api_keys.account, ${rest.replace('created_at', 'idempotency_records.created_at')}
      FROM idempotency_records JOIN api_keys ON api_keys.id = idempotency_records.api_key_id
      WHERE api_keys.account <> api_keys.id
      ORDER BY idempotency_records.created_at
      ON CONFLICT DO NOTHING`);
  }

  /** What was added expires. */
  async down(): Promise<void> {}
}
