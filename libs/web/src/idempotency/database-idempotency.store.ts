import { Clock, DAY_MS, type Transaction } from '@animal-store/kernel';
import { Database } from '@animal-store/database';
import {
  type Claim,
  type FirstResponse,
  type IdempotencyKey,
  IdempotencyStore,
} from '@animal-store/idempotency';
import { IdempotencyRecord } from '@animal-store/idempotency/typeorm';
import { Every, Job, REMOVAL, RemoveExpired } from '@animal-store/jobs';

/** Stores first responses in SQLite or PostgreSQL. Every unit of work of a handler becomes part of its transaction. */
export class DatabaseIdempotencyStore extends IdempotencyStore<Transaction> {
  private readonly statements: ReturnType<typeof idempotencyStatements>;

  /** @param clock of the process, which on SQLite is that of the database */
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
    this.statements = idempotencyStatements(database);
  }

  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.database.enclose(work);
  }

  /** The two are sent together and run in this order, so the response of the previous holder of the lock is found. */
  async claim({ caller, value }: IdempotencyKey, transaction: Transaction): Promise<Claim> {
    const { lock, find } = this.statements;
    const [{ isLocked, nowMs }, first] = await Promise.all([
      lock(`${caller} ${value}`, transaction),
      find.getOne({ caller, value }, transaction),
    ]);
    return { isLocked, first, nowMs: nowMs ?? this.clock.now() };
  }

  async find({ caller, value }: IdempotencyKey): Promise<Omit<Claim, 'isLocked'>> {
    const { time, find } = this.statements;
    const [nowMs, first] = await Promise.all([time(), find.getOne({ caller, value })]);
    return { first, nowMs: nowMs ?? this.clock.now() };
  }

  async save(
    { caller, value }: IdempotencyKey,
    { fingerprint, status, headers, body, createdAtMs }: FirstResponse,
    transaction: Transaction,
  ): Promise<void> {
    const row = { caller, value, createdAtMs, fingerprint, status, headers, body };
    await this.statements.save.execute(row, transaction);
  }
}

const STORED = ['fingerprint', 'status', 'headers', 'body', 'createdAtMs'] as const;

function idempotencyStatements(database: Database) {
  const records = database.statements(IdempotencyRecord, 'record');
  return {
    lock: records.tryLock(),
    time: records.time(),
    /** By the key alone: with a condition on the time, PostgreSQL might take the index of the times. */
    find: records.select<IdempotencyKey, FirstResponse>((record) =>
      record
        .select(STORED.map((property) => `record.${property}`))
        .where('record.caller = :caller AND record.value = :value'),
    ),
    save: records.insertWithId(['caller', 'value', ...STORED], { replaces: ['caller', 'value'] }),
  };
}

@Job('idempotency.remove-expired', REMOVAL)
@Every('10m')
export class RemoveExpiredResponses extends RemoveExpired<IdempotencyRecord, 'createdAtMs'> {
  constructor(database: Database, clock: Clock) {
    // The clocks of hosts may be wrong: one that is ahead would remove them all.
    const now = 'CAST(extract(epoch FROM now()) * 1000 AS bigint)';
    super(database, IdempotencyRecord, {
      beginning: { createdAtMs: 0 },
      where: ({ createdAtMs }) =>
        `${createdAtMs} <= ${database.dialect === 'postgres' ? now : ':now'} - :lifetime`,
      args: () => ({
        lifetime: BigInt(DAY_MS),
        ...(database.dialect === 'sqlite' && { now: BigInt(clock.now()) }),
      }),
    });
  }
}
