import { Injectable } from '@nestjs/common';
import type { Transaction } from '@animal-store/kernel';
import type { Pet } from '../domain/pet.js';
import { ChangePet } from './change-pet.js';

/** Reads an animal that nobody can change before the transaction of the caller ends. */
@Injectable()
export class LockPet {
  constructor(private readonly changePet: ChangePet) {}

  /** @throws PetNotFound when no animal has this id. */
  execute(id: bigint, within: Transaction): Promise<Pet> {
    return this.changePet.execute(id, (pet) => pet, within);
  }
}
