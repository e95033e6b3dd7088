import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { type KeyChange, KeyHistory } from '../../domain/key-history.js';
import { ApiKeyRecord } from './api-key.record.js';
import { KeyChangeRecord } from './key-change.record.js';

/** The history of keys and bans in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmKeyHistory extends KeyHistory {
  private readonly statements: ReturnType<typeof historyStatements>;

  constructor(database: Database) {
    super();
    this.statements = historyStatements(database);
  }

  async add({ before, after, ...change }: KeyChange, transaction: Transaction): Promise<void> {
    const facts = { before: before && JSON.stringify(before), after: JSON.stringify(after) };
    await this.statements.insert.execute({ ...change, ...facts }, transaction);
  }

  async of(subjects: readonly string[]): Promise<readonly KeyChange[]> {
    const read = subjects.map((subject) => this.statements.ofSubject.getMany({ subject }));
    return (await Promise.all(read))
      .flat()
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map(toChange);
  }

  async ofAccount(account: string): Promise<readonly KeyChange[]> {
    return (await this.statements.ofAccount.getMany({ account })).map(toChange);
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

function historyStatements(database: Database) {
  const changes = database.statements(KeyChangeRecord, 'change');
  return {
    insert: changes.insert(),
    ofSubject: changes.select<{ subject: string }>((change) =>
      change.where('change.subject = :subject').orderBy('change.id'),
    ),
    ofAccount: changes
      .except('It sorts the changes of an account, for the command line.')
      .select<{ account: string }>((change) => {
        const keys = change
          .subQuery()
          .select('key.id')
          .from(ApiKeyRecord, 'key')
          .where('key.account = :account');
        return change.where(`change.subject IN ${keys.getQuery()}`).orderBy('change.id');
      }),
  };
}
