import { Injectable } from '@nestjs/common';
import { RepositoryOf } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import { Pet } from '../domain/pet.js';
import type { PetRepository } from '../domain/pet.repository.js';
import { PetRecord } from './pet.record.js';

const Rows = RepositoryOf(PetRecord, 'pet', {
  toItem: (row) => Pet.restore(row),
  // An animal never changes but in its status.
  changes: ['status'],
  list: { equal: ['status'], optional: ['status'] },
});

/** The store's animals in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmPetRepository extends Rows implements PetRepository {
  async change(id: bigint, change: (pet: Pet) => Pet, transaction: Transaction): Promise<Pet | null> {
    const pet = await this.findOneBy({ id }, transaction);
    if (!pet) return null;
    const changed = change(pet);
    if (changed !== pet) await this.save(changed, transaction);
    return changed;
  }
}
