import { type DataSource, type EntityManager, In, IsNull, MoreThan, Not, type Repository } from 'typeorm';
import type { StoredApiKey } from '../api-key.store.js';
import { ManagedKey, storedKeyOf } from '../issuing/managed-key.js';
import { ManagedKeyStore, writesOf } from '../issuing/managed-key.store.js';
import { ApiKeyRecord, columnsOf, scopesIn } from './api-key.record.js';

/** Changes of keys take turns: any number, the same on every server. */
const TURN = 7_201_040;

type OwnedFacts<Facts> = { readonly account: string } & Facts;
type KeysWith<Facts> = Promise<readonly (ManagedKey & Facts)[]>;

/**
 * Keys in SQLite (better-sqlite3) or PostgreSQL, over a `DataSource` that has `ApiKeyRecord` and whose migrations
 * include `CreateApiKeys1795000050000`.
 *
 * TypeORM has one connection to SQLite, on which a transaction of the application and one of this store would become
 * one, and servers would read keys that are not committed. So on SQLite this store needs a `DataSource` of its own, and
 * takes no `within`.
 *
 * @typeParam Facts what the application stores with its keys, in values of JSON
 */
export class TypeOrmKeyStore<Facts extends object = object> extends ManagedKeyStore<
  ManagedKey & Facts,
  OwnedFacts<Facts>,
  EntityManager
> {
  private readonly isPostgres: boolean;
  /** On SQLite, the end of the change that runs: the connection would show others what is not committed. */
  private changing: Promise<unknown> = Promise.resolve();

  constructor(private readonly dataSource: DataSource) {
    super();
    this.isPostgres = dataSource.options.type === 'postgres';
  }

  async findByHash(hash: string): Promise<StoredApiKey<OwnedFacts<Facts>> | null> {
    const [key] = await this.findByHashes([hash]);
    return key ?? null;
  }

  override async findByHashes(hashes: readonly string[]): Promise<StoredApiKey<OwnedFacts<Facts>>[]> {
    const keys = await this.find((records) => records.findBy({ hash: In(hashes) }));
    return keys.map((key) => storedKeyOf(key) as unknown as StoredApiKey<OwnedFacts<Facts>>);
  }

  async change(
    ids: readonly string[],
    work: (found: ReadonlyMap<string, ManagedKey & Facts>) => readonly (ManagedKey & Facts)[],
    within?: EntityManager,
  ): Promise<readonly (ManagedKey & Facts)[]> {
    if (within && !this.isPostgres)
      throw new Error('On SQLite, changes of keys have transactions of their own: do not pass `within`.');
    if (within) return this.changeWithin(within, ids, work);
    const change = () => this.dataSource.transaction((manager) => this.changeWithin(manager, ids, work));
    if (this.isPostgres) return change();
    const changed = this.changing.then(change);
    this.changing = changed.catch(() => undefined);
    return changed;
  }

  activeOf(account: string, nowMs: number, after: string, limit: number): KeysWith<Facts> {
    const active = { account, id: MoreThan(after), revokedAtMs: IsNull() };
    const where = [
      { ...active, expiresAtMs: IsNull() },
      { ...active, expiresAtMs: MoreThan(nowMs) },
    ];
    return this.find((records) => records.find({ where, order: { id: 'ASC' }, take: limit }));
  }

  async descendantsOf(id: string, nowMs: number, within?: EntityManager): KeysWith<Facts> {
    const made: (ManagedKey & Facts)[] = [];
    for (let makers = [id]; makers.length > 0;) {
      const next = await this.find((records) => records.findBy({ createdBy: In(makers) }), within);
      made.push(...next);
      makers = next.map((key) => key.id);
    }
    return made.filter((key) => key.statusAt(nowMs) === 'active');
  }

  async latestChangeMs(): Promise<number | null> {
    await this.changing;
    return this.latestChange(this.dataSource.manager);
  }

  changedAfter(afterMs: number, limit: number): KeysWith<Facts> {
    const where = { changedAtMs: MoreThan(afterMs) };
    return this.find((records) => records.find({ where, order: { changedAtMs: 'ASC' }, take: limit }));
  }

  private async changeWithin(
    manager: EntityManager,
    ids: readonly string[],
    work: (found: ReadonlyMap<string, ManagedKey & Facts>) => readonly (ManagedKey & Facts)[],
  ): Promise<readonly (ManagedKey & Facts)[]> {
    // Changes are committed in the order of their times. On SQLite, other processes wait for a write.
    await manager.query(
      this.isPostgres
        ? `SELECT pg_advisory_xact_lock(${TURN})`
        : 'UPDATE api_keys SET id = id WHERE id IS NULL',
    );
    const records = await manager.find(ApiKeyRecord, {
      where: { id: In(ids) },
      // A transaction that has read before would see keys as they were then.
      ...(this.isPostgres && { lock: { mode: 'pessimistic_write' } }),
    });
    const found = new Map(records.map((record) => [record.id, this.toKey(record)]));
    const { added, changed, all } = writesOf(found, work(found), await this.latestChange(manager));
    for (const key of added) await manager.insert(ApiKeyRecord, toRecord(key));
    for (const key of changed) await manager.update(ApiKeyRecord, key.id, toRecord(key));
    return all;
  }

  private async latestChange(manager: EntityManager): Promise<number | null> {
    const [latest] = await manager.find(ApiKeyRecord, {
      select: { changedAtMs: true },
      where: { changedAtMs: Not(IsNull()) },
      order: { changedAtMs: 'DESC' },
      take: 1,
    });
    return latest?.changedAtMs ?? null;
  }

  private async find(
    read: (records: Repository<ApiKeyRecord>) => Promise<ApiKeyRecord[]>,
    source: Pick<EntityManager, 'getRepository'> = this.dataSource,
  ): Promise<(ManagedKey & Facts)[]> {
    await this.changing;
    const records = await read(source.getRepository(ApiKeyRecord));
    return records.map((record) => this.toKey(record));
  }

  private toKey({ facts, scopes, ...record }: ApiKeyRecord): ManagedKey & Facts {
    const state = { ...(JSON.parse(facts) as Facts), ...record, scopes: scopesIn(scopes) };
    return new ManagedKey(state) as ManagedKey & Facts;
  }
}

function toRecord(key: ManagedKey): ApiKeyRecord {
  const columns = columnsOf(key);
  const facts = Object.entries(key).filter(([name]) => !(name in columns));
  return { ...columns, facts: JSON.stringify(Object.fromEntries(facts)) };
}
