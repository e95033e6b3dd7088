import Sqlite from 'better-sqlite3';
import { created, failure, json, type Ready } from './response.js';
import { encodeCursor, type ListQuery, type NewAnimal } from './input.js';
import type { Counter } from './rate-limits.js';

type AnimalRow = [id: bigint, name: string, categoryId: bigint, status: string];

interface Unit {
  readonly work: () => Ready;
  readonly resolve: (response: Ready) => void;
  readonly reject: (error: unknown) => void;
  response: Ready | null;
}

const MAX_PAGES = 1_000;

/** The database: prepared statements, first pages cached as text, and one transaction for all writes of a turn. */
export class Store {
  readonly reader: Sqlite.Database;
  private readonly writer: Sqlite.Database;
  private readonly statements: ReturnType<typeof prepare>;
  private readonly pages = new Map<string, Ready>();
  /** Pages that an insert changes, as they are not full. */
  private readonly openPages = new Set<string>();
  private waiting: Unit[] = [];

  constructor(file: string) {
    this.writer = new Sqlite(file, { timeout: 5_000 });
    this.writer.pragma('journal_mode = WAL');
    this.writer.pragma('synchronous = FULL');
    this.reader = new Sqlite(file, { readonly: true });
    this.statements = prepare(this.reader, this.writer);
  }

  cachedPage(text: string): Ready | undefined {
    return this.pages.get(text);
  }

  list(text: string, query: ListQuery): Ready {
    const { status, limit, afterId } = query;
    const rows = (
      status === null
        ? this.statements.page.all(afterId, limit + 1)
        : this.statements.pageByStatus.all(status, afterId, limit + 1)
    ) as AnimalRow[];
    const isLast = rows.length <= limit;
    if (!isLast) rows.pop();
    let body = '[';
    for (const row of rows) body += body === '[' ? animalJson(row) : `,${animalJson(row)}`;
    const response = json(`${body}]`);
    if (!isLast) {
      const parameters = status === null ? `limit=${limit}` : `limit=${limit}&status=${status}`;
      const cursor = encodeCursor(status, rows.at(-1)![0]);
      response.headers.push('Link', `</v1/pets?${parameters}&cursor=${cursor}>; rel="next"`);
    }
    // Pages further on are too many to cache.
    if (afterId === 0n && this.pages.size < MAX_PAGES) {
      this.pages.set(text, response);
      if (isLast) this.openPages.add(text);
    }
    return response;
  }

  get(id: bigint): Ready | null {
    const row = this.statements.animal.get(id) as AnimalRow | undefined;
    return row ? json(animalJson(row)) : null;
  }

  add({ name, categoryId, status }: NewAnimal): Promise<Ready> {
    return this.write(() => {
      const { lastInsertRowid: id } = this.statements.addAnimal.run(name, categoryId, status);
      for (const page of this.openPages) this.pages.delete(page);
      this.openPages.clear();
      return created(`/v1/pets/${id}`, animalJson([id as bigint, name, categoryId, status]));
    });
  }

  placeOrder(account: string, petId: bigint): Promise<Ready> {
    return this.write(() => {
      const nowMs = Date.now();
      if (this.statements.reserve.run(petId).changes === 0) {
        const row = this.statements.animal.get(petId) as AnimalRow | undefined;
        return row
          ? failure(409, 'pet_not_available', `Animal ${petId} is ${row[3]} and cannot be reserved.`)
          : failure(400, 'unknown_pet', `No animal has id ${petId}, so it cannot be ordered.`);
      }
      this.pages.clear();
      this.openPages.clear();
      const { lastInsertRowid: id } = this.statements.addOrder.run(account, petId, nowMs, nowMs);
      const now = new Date(nowMs).toISOString();
      return created(
        `/v1/store/orders/${id}`,
        `{"id":${id},"petId":${petId},"status":"placed","placedAt":"${now}","updatedAt":"${now}"}`,
      );
    });
  }

  async saveUsage(counters: readonly Counter[]): Promise<void> {
    await this.write(() => {
      for (const { subject, day, dayCount, banUntilMs, banMs } of counters) {
        this.statements.saveUsage.run(subject, day, dayCount, banUntilMs, banMs);
      }
      return json('');
    });
  }

  /** `work` either refuses before it has written anything, or succeeds. Its response leaves after the commit. */
  private write(work: () => Ready): Promise<Ready> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ work, resolve, reject, response: null }) === 1) setImmediate(this.commit);
    });
  }

  private readonly commit = (): void => {
    const batch = this.waiting;
    this.waiting = [];
    try {
      this.statements.begin.run();
      for (const unit of batch) unit.response = unit.work();
      this.statements.commit.run();
    } catch (error) {
      if (this.writer.inTransaction) this.statements.rollback.run();
      for (const unit of batch) unit.reject(error);
      return;
    }
    for (const unit of batch) unit.resolve(unit.response!);
  };
}

function prepare(reader: Sqlite.Database, writer: Sqlite.Database) {
  const rows = (sql: string) => reader.prepare(sql).raw().safeIntegers();
  const columns = 'id, name, category_id, status';
  return {
    page: rows(`SELECT ${columns} FROM pets WHERE id > ? ORDER BY id LIMIT ?`),
    pageByStatus: rows(`SELECT ${columns} FROM pets WHERE status = ? AND id > ? ORDER BY id LIMIT ?`),
    animal: rows(`SELECT ${columns} FROM pets WHERE id = ?`),
    addAnimal: writer.prepare('INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)').safeIntegers(),
    reserve: writer.prepare("UPDATE pets SET status = 'pending' WHERE id = ? AND status = 'available'"),
    addOrder: writer
      .prepare(
        "INSERT INTO orders (account, pet_id, status, placed_at, updated_at) VALUES (?, ?, 'placed', ?, ?)",
      )
      .safeIntegers(),
    saveUsage: writer.prepare(
      'INSERT OR REPLACE INTO rate_limit_usage (subject, day, day_count, ban_until, ban_ms) VALUES (?, ?, ?, ?, ?)',
    ),
    begin: writer.prepare('BEGIN IMMEDIATE'),
    commit: writer.prepare('COMMIT'),
    rollback: writer.prepare('ROLLBACK'),
  };
}

function animalJson([id, name, categoryId, status]: AnimalRow): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}
