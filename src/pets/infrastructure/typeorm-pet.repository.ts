import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { Page, PageRequest, Transaction } from '@animal-store/kernel';
import { type NewPet, Pet } from '../domain/pet.js';
import { type PetFilter, PetRepository } from '../domain/pet.repository.js';
import { PetRecord } from './pet.record.js';

/** The store's animals in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmPetRepository extends PetRepository {
  private readonly statements: ReturnType<typeof petStatements>;

  constructor(database: Database) {
    super();
    this.statements = petStatements(database);
  }

  async add(pet: NewPet, within?: Transaction): Promise<Pet> {
    const id = await this.statements.insert.execute(pet, within);
    // The spread comes last: V8 adds fields slowly to an object that begins with one.
    return Pet.restore({ id, ...pet });
  }

  async change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null> {
    const record = await this.statements.byIdLocked.getOne({ id }, transaction);
    if (!record) return null;
    const pet = Pet.restore(record);
    const changed = change(pet);
    if (changed !== pet) await this.statements.update.execute({ id, status: changed.status }, transaction);
    return changed;
  }

  async findById(id: bigint): Promise<Pet | null> {
    const record = await this.statements.byId.getOne({ id });
    return record && Pet.restore(record);
  }

  list(filter: PetFilter, page: PageRequest): Promise<Page<Pet>> {
    return this.statements.list.getPage(filter, page);
  }
}

function petStatements(database: Database) {
  const pets = database.statements(PetRecord, 'pet');
  return {
    insert: pets.insert(),
    byId: pets.find({ equal: ['id'] }),
    byIdLocked: pets.find({ equal: ['id'], lock: true }),
    // An animal never changes but in its status.
    update: pets.update(['status'], { equal: ['id'] }),
    list: pets.list((row) => Pet.restore(row), { equal: ['status'], optional: ['status'] }),
  };
}
