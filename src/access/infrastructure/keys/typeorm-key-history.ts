import { Injectable } from '@nestjs/common';
import type { Repository } from 'typeorm';
import { Database } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { type KeyChange, KeyHistory } from '../../domain/key-history.js';
import { ApiKeyRecord } from './api-key.record.js';
import { KeyChangeRecord } from './key-change.record.js';

/** The history of keys and bans in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmKeyHistory extends KeyHistory {
  private readonly changes: Repository<KeyChangeRecord>;

  constructor(private readonly database: Database) {
    super();
    this.changes = database.repository(KeyChangeRecord);
  }

  async add({ before, after, ...change }: KeyChange, transaction: Transaction): Promise<void> {
    const facts = { before: before && JSON.stringify(before), after: JSON.stringify(after) };
    await this.database.entityManager(transaction).insert(KeyChangeRecord, { ...change, ...facts });
  }

  async of(subject: string): Promise<readonly KeyChange[]> {
    const changes = await this.changes.find({ where: { subject }, order: { id: 'ASC' } });
    return changes.map(toChange);
  }

  async ofAccount(account: string): Promise<readonly KeyChange[]> {
    const changes = this.changes.createQueryBuilder('change').orderBy('change.id');
    const keys = changes
      .subQuery()
      .select('key.id')
      .from(ApiKeyRecord, 'key')
      .where('key.account = :account');
    return (await changes.where(`change.subject IN ${keys.getQuery()}`, { account }).getMany()).map(toChange);
  }
}

function toChange({ subject, atMs, by, before, after }: KeyChangeRecord): KeyChange {
  return {
    subject,
    atMs,
    by,
    before: before === null ? null : (JSON.parse(before) as KeyChange['before']),
    after: JSON.parse(after) as KeyChange['after'],
  };
}
