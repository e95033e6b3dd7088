import { Injectable } from '@nestjs/common';
import { Database } from '../../database/database.js';
import { lockingSelect } from '../../database/locking-select.js';
import { BEFORE_FIRST_ID, type Page, pageOf } from '../../shared/page.js';
import type { Transaction } from '../../shared/unit-of-work.js';
import { type NewPet, Pet } from '../domain/pet.js';
import { type PetFilter, PetRepository } from '../domain/pet.repository.js';
import type { PetRecord } from './pet.record.js';
import { toPet } from './pet-record.mapper.js';

const COLUMNS = 'id, name, category_id AS "categoryId", status';
const INSERT = 'INSERT INTO pets (name, category_id, status) VALUES ($1, $2, $3)';
const BY_ID = `SELECT ${COLUMNS} FROM pets WHERE id = $1`;
const BY_ID_LOCKED = lockingSelect(BY_ID);
/** The status is all that ever changes about an animal. */
const UPDATE = 'UPDATE pets SET status = $2 WHERE id = $1';
const PAGE = `SELECT ${COLUMNS} FROM pets WHERE id > $1 ORDER BY id LIMIT $2`;
const PAGE_BY_STATUS = `SELECT ${COLUMNS} FROM pets WHERE status = $1 AND id > $2 ORDER BY id LIMIT $3`;

/** The store's animals in SQLite or PostgreSQL: the same statements for both. */
@Injectable()
export class SqlPetRepository extends PetRepository {
  constructor(private readonly database: Database) {
    super();
  }

  async add({ name, categoryId, status }: NewPet, transaction: Transaction): Promise<Pet> {
    const id = await this.database.session(transaction).insert(INSERT, [name, categoryId, status]);
    return Pet.restore({ id, name, categoryId, status });
  }

  async change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null> {
    const session = this.database.session(transaction);
    const [record] = await session.query<PetRecord>(BY_ID_LOCKED[this.database.dialect], [id]);
    if (!record) return null;
    const changed = change(toPet(record));
    await session.query(UPDATE, [id, changed.status]);
    return changed;
  }

  async findById(id: bigint): Promise<Pet | null> {
    const [record] = await this.database.query<PetRecord>(BY_ID, [id]);
    return record ? toPet(record) : null;
  }

  async list({ status }: PetFilter, limit: number, afterId: bigint | null): Promise<Page<Pet>> {
    const after = afterId ?? BEFORE_FIRST_ID;
    const records = status
      ? await this.database.query<PetRecord>(PAGE_BY_STATUS, [status, after, limit + 1])
      : await this.database.query<PetRecord>(PAGE, [after, limit + 1]);
    return pageOf(records.map(toPet), limit);
  }
}
