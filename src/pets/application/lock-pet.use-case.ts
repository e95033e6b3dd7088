import { Injectable } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { type PetMissing, PetNotFound } from '../domain/pet.errors.js';
import { PetRepository } from '../domain/pet.repository.js';

/** Reads an animal that nobody can change before the transaction of the caller ends. */
@Injectable()
export class LockPet {
  constructor(private readonly pets: PetRepository) {}

  /** @throws Missing when no animal has this id. */
  async execute(id: bigint, within: Transaction, Missing: PetMissing = PetNotFound): Promise<Pet> {
    const pet = await this.pets.change(id, (current) => current, within);
    if (!pet) throw new Missing(id);
    return pet;
  }
}
