import { Injectable } from '@nestjs/common';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import { HoldPet } from '../../../../src/pets/application/hold-pet.use-case.js';
import { PhotoNotFound } from '../domain/photo.errors.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class RemovePhoto {
  constructor(
    private readonly photos: PhotoRepository,
    private readonly holdPet: HoldPet,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws PetNotFound when no animal has this id.
   * @throws PhotoNotFound when it has no photo.
   */
  execute(petId: bigint, within?: Transaction): Promise<void> {
    return this.unitOfWork.run(async (transaction) => {
      await this.holdPet.execute(petId, transaction);
      if (!(await this.photos.remove(petId, transaction))) throw new PhotoNotFound(petId);
    }, within);
  }
}
