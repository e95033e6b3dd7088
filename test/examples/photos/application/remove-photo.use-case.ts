import { Injectable } from '@nestjs/common';
import { type Precondition, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { LockPet } from '../../../../src/pets/application/lock-pet.use-case.js';
import { PhotoNotFound } from '../domain/photo.errors.js';
import type { PhotoFacts } from '../domain/photo.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class RemovePhoto {
  constructor(
    private readonly photos: PhotoRepository,
    private readonly lockPet: LockPet,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws PetNotFound when no animal has this id.
   * @throws PhotoNotFound when it has no photo.
   * @throws what `precondition` throws for its photo.
   */
  execute(petId: bigint, precondition?: Precondition<PhotoFacts>, within?: Transaction): Promise<void> {
    return this.unitOfWork.run(async (transaction) => {
      await this.lockPet.execute(petId, transaction);
      const before = await this.photos.findFacts(petId, transaction);
      if (!before) throw new PhotoNotFound(petId);
      precondition?.(before);
      await this.photos.remove(petId, before, transaction);
    }, within);
  }
}
