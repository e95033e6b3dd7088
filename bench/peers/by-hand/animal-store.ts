import Sqlite from 'better-sqlite3';
import { type Answer, created, failure, json } from './answer.js';
import { encodeCursor, type ListQuery } from './input.js';
import type { Counter } from './rate-limits.js';

type AnimalRow = [id: bigint, name: string, categoryId: bigint, status: string];

export interface NewAnimal {
  readonly name: string;
  readonly categoryId: bigint;
  readonly status: string;
}

/** An operation that is done once for each key: a retry gets the first answer. */
export interface Once {
  readonly apiKeyId: string;
  readonly key: string;
  readonly fingerprint: string;
}

interface Unit {
  readonly work: () => Answer;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
  answer: Answer | null;
}

const MAX_KEPT_PAGES = 1_000;
const KEPT_MS = 86_400_000;

/** The database: prepared statements, first pages kept as text, and one transaction for all writes of a turn. */
export class AnimalStore {
  private readonly reader: Sqlite.Database;
  private readonly writer: Sqlite.Database;
  private readonly statements: ReturnType<typeof prepare>;
  private readonly pages = new Map<string, Answer>();
  /** Pages that an insert changes, as they are not full. */
  private readonly openPages = new Set<string>();
  private readonly running = new Set<string>();
  private waiting: Unit[] = [];

  constructor(file: string) {
    this.writer = new Sqlite(file, { timeout: 5_000 });
    this.writer.pragma('journal_mode = WAL');
    this.writer.pragma('synchronous = FULL');
    this.reader = new Sqlite(file, { readonly: true });
    this.statements = prepare(this.reader, this.writer);
  }

  get database(): Sqlite.Database {
    return this.reader;
  }

  keptPage(text: string): Answer | undefined {
    return this.pages.get(text);
  }

  list(text: string, query: ListQuery): Answer {
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
    const answer = json(`${body}]`);
    if (!isLast) {
      const parameters = status === null ? `limit=${limit}` : `limit=${limit}&status=${status}`;
      const cursor = encodeCursor(status, rows.at(-1)![0]);
      answer.headers.push('Link', `</v1/pets?${parameters}&cursor=${cursor}>; rel="next"`);
    }
    // Pages further on are too many to keep.
    if (afterId === 0n && this.pages.size < MAX_KEPT_PAGES) {
      this.pages.set(text, answer);
      if (isLast) this.openPages.add(text);
    }
    return answer;
  }

  get(id: bigint): Answer | null {
    const row = this.statements.animal.get(id) as AnimalRow | undefined;
    return row ? json(animalJson(row)) : null;
  }

  add({ name, categoryId, status }: NewAnimal, once: Once | null): Promise<Answer> {
    return this.write(once, () => {
      const { lastInsertRowid: id } = this.statements.addAnimal.run(name, categoryId, status);
      for (const page of this.openPages) this.pages.delete(page);
      this.openPages.clear();
      return created(`/v1/pets/${id}`, animalJson([id as bigint, name, categoryId, status]));
    });
  }

  placeOrder(account: string, petId: bigint, once: Once | null): Promise<Answer> {
    return this.write(once, () => {
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
    await this.write(null, () => {
      for (const { subject, day, dayCount, banUntilMs, banMs } of counters) {
        this.statements.saveUsage.run(subject, day, dayCount, banUntilMs, banMs);
      }
      return json('');
    });
  }

  /** `work` either refuses before it has written anything, or succeeds. It is answered after the commit. */
  private async write(once: Once | null, work: () => Answer): Promise<Answer> {
    if (!once) return this.enqueue(work);
    const name = `${once.apiKeyId} ${once.key}`;
    if (this.running.has(name)) {
      return failure(409, 'idempotency_in_progress', 'A request with this Idempotency-Key is still running.');
    }
    this.running.add(name);
    try {
      return await this.enqueue(() => this.replay(once) ?? this.keep(once, work()));
    } finally {
      this.running.delete(name);
    }
  }

  private replay({ apiKeyId, key, fingerprint }: Once): Answer | null {
    const kept = this.statements.keptAnswer.get(apiKeyId, key, Date.now() - KEPT_MS) as
      { fingerprint: string; body: string; headers: string } | undefined;
    if (!kept) return null;
    if (kept.fingerprint !== fingerprint) {
      return failure(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    }
    const answer = created((JSON.parse(kept.headers) as { Location: string }).Location, kept.body);
    answer.headers.push('Idempotent-Replayed', 'true');
    return answer;
  }

  private keep({ apiKeyId, key, fingerprint }: Once, answer: Answer): Answer {
    if (answer.status === 201) {
      const headers = JSON.stringify({ Location: answer.headers.at(-1) });
      this.statements.keepAnswer.run(apiKeyId, key, fingerprint, answer.body, headers, Date.now());
    }
    return answer;
  }

  private enqueue(work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.waiting.push({ work, resolve, reject, answer: null }) === 1) setImmediate(this.commit);
    });
  }

  private readonly commit = (): void => {
    const batch = this.waiting;
    this.waiting = [];
    try {
      this.statements.begin.run();
      for (const unit of batch) unit.answer = unit.work();
      this.statements.commit.run();
    } catch (error) {
      if (this.writer.inTransaction) this.statements.rollback.run();
      for (const unit of batch) unit.reject(error);
      return;
    }
    for (const unit of batch) unit.resolve(unit.answer!);
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
    keptAnswer: writer.prepare(
      `SELECT fingerprint, body, headers FROM idempotency_records
       WHERE api_key_id = ? AND idempotency_key = ? AND created_at > ?`,
    ),
    keepAnswer: writer.prepare(
      `INSERT OR REPLACE INTO idempotency_records
       (api_key_id, idempotency_key, fingerprint, body, headers, created_at) VALUES (?, ?, ?, ?, ?, ?)`,
    ),
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
