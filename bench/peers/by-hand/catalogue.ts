import { hash } from 'node:crypto';
import type { Caller } from './api-keys.js';
import type { Database, Row, Unit } from './database.js';
import { encodeCursor, idempotencyKey, listQuery, newAnimal, newOrder, pathId } from './input.js';
import { created, failure, json, type Ready } from './response.js';

const ANIMALS = 'SELECT id, name, category_id, status FROM pets WHERE';
const PAGE = `${ANIMALS} id > ? ORDER BY id LIMIT ?`;
const PAGE_BY_STATUS = `${ANIMALS} status = ? AND id > ? ORDER BY id LIMIT ?`;
const ANIMAL = `${ANIMALS} id = ?`;
const ADD_ANIMAL = 'INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?) RETURNING id';
const RESERVE = "UPDATE pets SET status = 'pending' WHERE id = ? AND status = 'available' RETURNING id";
const ADD_ORDER =
  "INSERT INTO orders (account, pet_id, status, placed_at, updated_at) VALUES (?, ?, 'placed', ?, ?) RETURNING id";
const FIRST_RESPONSE =
  'SELECT fingerprint, headers, body FROM idempotency_records WHERE api_key_id = ? AND idempotency_key = ?';
const SAVE_RESPONSE = `INSERT INTO idempotency_records
  (api_key_id, idempotency_key, fingerprint, headers, body, created_at, status) VALUES (?, ?, ?, ?, ?, ?, 201)`;
const MAX_PAGES = 1_000;

/** Animals and orders. First pages are cached as text where no other process writes. */
export class Catalogue {
  private readonly pages = new Map<string, Ready>();
  /** Pages that an insert changes, as they are not full. */
  private readonly openPages = new Set<string>();

  constructor(private readonly database: Database) {}

  list(text: string): Ready | Promise<Ready> {
    return this.pages.get(text) ?? this.readPage(text);
  }

  async get(text: string): Promise<Ready> {
    const id = pathId(text);
    const [row] = id === null ? [] : await this.database.read(ANIMAL, id);
    return row ? json(animalJson(row)) : failure(404, 'pet_not_found', `No animal has id ${text}.`);
  }

  /** Once for each key of a caller, when there is a key. */
  async add({ keyId }: Caller, body: string, key: string | string[] | undefined): Promise<Ready> {
    const { name, categoryId, status } = newAnimal(body);
    const values = [name, categoryId, status];
    const response = ([row]: Row[]) =>
      created(`/v1/pets/${row![0] as bigint}`, animalJson([row![0], ...values]));
    const work = function* (): Unit<Ready> {
      return response(yield [ADD_ANIMAL, ...values]);
    };
    const added =
      key === undefined
        ? response(await this.database.run(ADD_ANIMAL, ...values))
        : await this.database.transaction(() => once(keyId, idempotencyKey(key), hash('sha256', body), work));
    for (const page of this.openPages) this.pages.delete(page);
    this.openPages.clear();
    return added;
  }

  async placeOrder({ account }: Caller, body: string): Promise<Ready> {
    const { petId } = newOrder(body);
    const response = await this.database.transaction(() => order(account, petId));
    this.pages.clear();
    this.openPages.clear();
    return response;
  }

  private async readPage(text: string): Promise<Ready> {
    const { status, limit, afterId } = listQuery(text);
    const rows = [
      ...(status === null
        ? await this.database.read(PAGE, afterId, limit + 1)
        : await this.database.read(PAGE_BY_STATUS, status, afterId, limit + 1)),
    ];
    const isLast = rows.length <= limit;
    if (!isLast) rows.pop();
    let body = '[';
    for (const row of rows) body += body === '[' ? animalJson(row) : `,${animalJson(row)}`;
    const response = json(`${body}]`);
    if (!isLast) {
      const parameters = status === null ? `limit=${limit}` : `limit=${limit}&status=${status}`;
      const cursor = encodeCursor(status, BigInt(rows.at(-1)![0] as bigint));
      response.headers.push('Link', `</v1/pets?${parameters}&cursor=${cursor}>; rel="next"`);
    }
    // Pages further on are too many to cache.
    if (!this.database.isShared && afterId === 0n && this.pages.size < MAX_PAGES) {
      this.pages.set(text, response);
      if (isLast) this.openPages.add(text);
    }
    return response;
  }
}

function* order(account: string, petId: bigint): Unit<Ready> {
  const nowMs = Date.now();
  const [reserved] = yield [RESERVE, petId];
  if (!reserved) {
    const [row] = yield [ANIMAL, petId];
    return row
      ? failure(409, 'pet_not_available', `Animal ${petId} is ${row[3] as string} and cannot be reserved.`)
      : failure(400, 'unknown_pet', `No animal has the petId ${petId}.`);
  }
  const [row] = yield [ADD_ORDER, account, petId, nowMs, nowMs];
  const id = row![0] as bigint;
  const now = new Date(nowMs).toISOString();
  return created(
    `/v1/store/orders/${id}`,
    `{"id":${id},"petId":${petId},"status":"placed","placedAt":"${now}","updatedAt":"${now}"}`,
  );
}

/** The first response to the key: the stored one, or that of `work`, which is stored with it. */
function* once(keyId: string, key: string, fingerprint: string, work: () => Unit<Ready>): Unit<Ready> {
  const [first] = yield [FIRST_RESPONSE, keyId, key];
  if (first) {
    const [known, location, body] = first as string[];
    if (known !== fingerprint)
      return failure(422, 'idempotency_key_reused', 'This Idempotency-Key was used for another request.');
    const response = created(location!, body!);
    response.headers.push('Idempotent-Replayed', 'true');
    return response;
  }
  const response = yield* work();
  const location = response.headers.at(-1);
  // It fails when another request with the key has stored its response meanwhile: this one is rolled back.
  yield [SAVE_RESPONSE, keyId, key, fingerprint, location, response.body, Date.now()];
  return response;
}

function animalJson([id, name, categoryId, status]: Row): string {
  return `{"id":${id as bigint},"name":${JSON.stringify(name)},"categoryId":${categoryId as bigint},"status":"${status as string}"}`;
}
