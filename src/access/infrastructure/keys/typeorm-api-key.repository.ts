import { Injectable } from '@nestjs/common';
import { writesOf } from '@animal-store/api-keys/issuing';
import { Database, type RecordNames } from '@animal-store/database';
import { DAY_MS, type Transaction } from '@animal-store/kernel';
import type { ApiKey } from '../../domain/api-key.js';
import { ApiKeyRepository, type StoredKeyFilter } from '../../domain/api-key.repository.js';
import { Plans } from '../../domain/plan.js';
import { ApiKeyRecord, toApiKey, toApiKeyRecord, toStoredApiKey } from './api-key.record.js';

/** Bounds the memory of a list, and how long its reader waits for the first key. */
const KEYS_A_BATCH = 1_000;

/** The position before every key. */
const BEGINNING = { afterAtMs: -1, afterId: '' };

/** API keys in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmApiKeyRepository extends ApiKeyRepository {
  private readonly statements: ReturnType<typeof apiKeyStatements>;

  constructor(
    private readonly database: Database,
    private readonly plans: Plans,
  ) {
    super();
    this.statements = apiKeyStatements(database);
  }

  async change(
    ids: readonly string[],
    work: (found: ReadonlyMap<string, ApiKey>) => readonly ApiKey[],
    within?: Transaction,
  ): Promise<readonly ApiKey[]> {
    return this.database.run(async (transaction) => {
      const found = new Map<string, ApiKey>();
      let latestMs: number | null = null;
      if (ids.length > 0) {
        await this.statements.changes.lockTurn(transaction);
        for (const record of await this.statements.byIdsLocked.getMany({ ids }, transaction))
          found.set(record.id, this.toKey(record));
        latestMs = await this.statements.changes.latestMs(transaction);
      }
      const { added, changed, all } = writesOf(found, work(found), latestMs);
      for (const key of added) await this.statements.insert.execute(toApiKeyRecord(key), transaction);
      for (const key of changed) await this.statements.update.execute(toApiKeyRecord(key), transaction);
      return all;
    }, within);
  }

  async noteUses(ids: readonly string[], day: number): Promise<void> {
    await this.database.run((transaction) => this.statements.noteUses.getMany({ ids, day }, transaction));
  }

  async findById(id: string): Promise<ApiKey | null> {
    const record = await this.statements.byId.getOne({ id });
    return record && this.toKey(record);
  }

  async findByHash(hash: string): ReturnType<ApiKeyRepository['findByHash']> {
    const record = await this.statements.byHash.getOne({ hash });
    return record && toStoredApiKey(this.toKey(record));
  }

  override async findByHashes(hashes: readonly string[]): ReturnType<ApiKeyRepository['findByHashes']> {
    const records = await this.statements.byHashes.getMany({ hashes });
    return records.map((record) => toStoredApiKey(this.toKey(record)));
  }

  async oneOf(account: string): Promise<string | null> {
    return (await this.statements.ofAccount.getOne({ account }))?.id ?? null;
  }

  async activeOf(account: string, nowMs: number, after: string, limit: number): Promise<ApiKey[]> {
    const page = { account, activeAtMs: nowMs, after, limit };
    return (await this.statements.activeOf.getMany(page)).map(this.toKey);
  }

  async hasAtMost(
    max: number,
    account: string,
    times: { readonly activeAtMs: number; readonly sinceMs: number },
    transaction: Transaction,
  ): Promise<boolean> {
    await this.statements.changes.lockTurn(transaction);
    const counts = { account, ...times, limit: max + 1 };
    const { lasting, ending, recent } = (await this.statements.countIssued.getOne(counts, transaction))!;
    return Number(lasting) + Number(ending) <= max && Number(recent) <= max;
  }

  async descendantsOf(id: string, nowMs: number, transaction?: Transaction): Promise<ApiKey[]> {
    return (await this.statements.descendants.getMany({ id, activeAtMs: nowMs }, transaction)).map(
      this.toKey,
    );
  }

  async isSuspended(account: string, transaction: Transaction): Promise<boolean> {
    await this.statements.changes.lockTurn(transaction);
    return (await this.statements.suspended.getOne({ account }, transaction)) !== null;
  }

  async suspendedOf(account: string, after: string, limit: number): Promise<ApiKey[]> {
    return (await this.statements.suspendedOf.getMany({ account, after, limit })).map(this.toKey);
  }

  async *batches(filter: StoredKeyFilter): AsyncIterable<ApiKey[]> {
    let records: readonly ApiKeyRecord[];
    let after = BEGINNING;
    do {
      records = await this.statements.list.getMany({ ...allOf(filter), ...after });
      yield records.map(this.toKey);
      const last = records.at(-1);
      if (last) after = { afterAtMs: last.createdAtMs, afterId: last.id };
    } while (records.length === KEYS_A_BATCH);
  }

  async isEmpty(transaction?: Transaction): Promise<boolean> {
    return (await this.statements.any.getOne({}, transaction)) === null;
  }

  latestChangeMs(): Promise<number | null> {
    return this.statements.changes.latestMs();
  }

  async changedAfter(afterMs: number, limit: number): Promise<ApiKey[]> {
    return (await this.statements.changes.after(afterMs, limit)).map(this.toKey);
  }

  private readonly toKey = (record: Parameters<typeof toApiKey>[0]): ApiKey => toApiKey(record, this.plans);
}

function apiKeyStatements(database: Database) {
  const keys = database.statements(ApiKeyRecord, 'key');
  const listed = keys.except('`keys list` filters in the process of the command line.');
  const sorted = keys.except(
    'It sorts the active or the suspended keys of an account, which an index finds.',
  );
  return {
    insert: keys.insertWithId(),
    changes: keys.changes(),
    byId: keys.find({ equal: ['id'] }),
    byIdsLocked: keys.select<{ ids: readonly string[] }>((key) =>
      key.where('key.id IN (:...ids)').setLock('pessimistic_write'),
    ),
    byHash: keys.find({ equal: ['hash'] }),
    byHashes: keys.select<{ hashes: readonly string[] }>((key) => key.where('key.hash IN (:...hashes)')),
    list: listed.sql<Filter & typeof BEGINNING>(listSql),
    ofAccount: keys.select<{ account: string }>((key) =>
      key.select('key.id').where('key.account = :account').limit(1),
    ),
    activeOf: sorted.sql<{ account: string; activeAtMs: number; after: string; limit: number }>(activeSql),
    countIssued: keys.sql<CountedRange, Record<'lasting' | 'ending' | 'recent', bigint>>(countIssuedSql),
    descendants: keys.sql<{ id: string; activeAtMs: number }>((names) =>
      descendantsSql(names, database.dialect),
    ),
    suspended: keys.select<{ account: string }>((key) =>
      key.select('key.id').where('key.account = :account').andWhere('key.suspendedAtMs IS NOT NULL').limit(1),
    ),
    suspendedOf: sorted.sql<{ account: string; after: string; limit: number }>((names) => {
      const { account, id, suspendedAtMs } = names.columns;
      return `${selectSql(names)} WHERE ${account} = :account AND ${suspendedAtMs} IS NOT NULL AND ${id} > :after
        ORDER BY ${id} LIMIT :limit`;
    }),
    any: keys.select((key) => key.select('key.id').limit(1)),
    noteUses: keys.sql<{ ids: readonly string[]; day: number }>(({ table, columns: { id, lastUsedDay } }) => {
      const isEarlier = `(${lastUsedDay} IS NULL OR ${lastUsedDay} < :day)`;
      return `UPDATE ${table} SET ${lastUsedDay} = :day WHERE ${id} IN (:...ids) AND ${isEarlier}`;
    }),
    update: keys.update(
      [
        'plan',
        'perMinute',
        'perDay',
        'expiresAtMs',
        'revokedAtMs',
        'replacedBy',
        'suspendedAtMs',
        'changedAtMs',
      ],
      { equal: ['id'] },
    ),
  };
}

/** A filter as arguments of a statement: a part that is null matches every key. */
type Filter = ReturnType<typeof allOf>;

interface CountedRange {
  readonly account: string;
  readonly activeAtMs: number;
  readonly sinceMs: number;
  readonly limit: number;
}

function allOf({ plan, account, activeAtMs, unusedSinceDay }: StoredKeyFilter) {
  const times = { activeAtMs: activeAtMs ?? null, unusedSinceDay: unusedSinceDay ?? null };
  return { plan: plan ?? null, account: account ?? null, ...times };
}

type Names = RecordNames<ApiKeyRecord>;

/** SQL text, because the query builder would build another statement for each set of filters. */
function matches({ columns }: Names): string {
  return `(CAST(:plan AS TEXT) IS NULL OR ${columns.plan} = :plan)
    AND (CAST(:account AS TEXT) IS NULL OR ${columns.account} = :account)
    AND (CAST(:activeAtMs AS BIGINT) IS NULL OR (${isActive(columns)}))
    AND (CAST(:unusedSinceDay AS BIGINT) IS NULL
      OR COALESCE(${columns.lastUsedDay}, ${columns.createdAtMs} / ${DAY_MS}) < :unusedSinceDay)`;
}

function isActive({ revokedAtMs, expiresAtMs }: Names['columns']): string {
  return `${revokedAtMs} IS NULL AND (${expiresAtMs} IS NULL OR ${expiresAtMs} > :activeAtMs)`;
}

function selectSql({ table, columns }: Names): string {
  const selected = Object.entries(columns).map(([property, column]) => `${column} AS "${property}"`);
  return `SELECT ${selected.join(', ')} FROM ${table}`;
}

function listSql(names: Names): string {
  const { id, createdAtMs } = names.columns;
  return `${selectSql(names)}
    WHERE (${createdAtMs}, ${id}) > (:afterAtMs, :afterId) AND ${matches(names)}
    ORDER BY ${createdAtMs}, ${id} LIMIT ${KEYS_A_BATCH}`;
}

/** The keys of both kinds first, by an index: among them an account may have any number of expired ones. */
function activeSql(names: Names): string {
  const { account, id, revokedAtMs, expiresAtMs } = names.columns;
  const ofAccount = `${selectSql(names)} WHERE ${account} = :account AND ${revokedAtMs} IS NULL AND ${expiresAtMs}`;
  return `WITH active AS MATERIALIZED (${ofAccount} IS NULL UNION ALL ${ofAccount} > :activeAtMs)
    SELECT * FROM active WHERE ${id} > :after ORDER BY ${id} LIMIT :limit`;
}

/** A key may have made any number that work no more. Each has one maker, so none comes twice. */
function descendantsSql(names: Names, dialect: Database['dialect']): string {
  const { table, columns } = names;
  const by = `${columns.createdBy} =`;
  // PostgreSQL might otherwise read the whole table for each generation.
  const children =
    dialect === 'postgres'
      ? `LATERAL (SELECT * FROM ${table} WHERE ${by} made.id OFFSET 0) AS child`
      : `${table} AS child WHERE child.${by} made.id`;
  return `WITH RECURSIVE made AS (SELECT * FROM ${table} WHERE ${by} :id UNION ALL SELECT child.* FROM made, ${children})
    ${selectSql({ ...names, table: 'made' })} WHERE ${isActive(columns)}`;
}

/** Each count stops at the limit, and reads an index: an account may have any number of old keys. */
function countIssuedSql({ table, columns }: Names): string {
  const { account, createdAtMs, revokedAtMs, expiresAtMs } = columns;
  const upTo = (condition: string) =>
    `(SELECT COUNT(*) FROM (SELECT 1 FROM ${table} WHERE ${account} = :account AND ${condition} LIMIT :limit) AS counted)`;
  return `SELECT ${upTo(`${revokedAtMs} IS NULL AND ${expiresAtMs} IS NULL`)} AS "lasting",
    ${upTo(`${revokedAtMs} IS NULL AND ${expiresAtMs} > :activeAtMs`)} AS "ending",
    ${upTo(`${createdAtMs} > :sinceMs`)} AS "recent"`;
}
