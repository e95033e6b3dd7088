import { Injectable } from '@nestjs/common';
import { type Precondition, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { LockPet } from '../../../../src/pets/application/lock-pet.use-case.js';
import { type Photo, type PhotoFacts, take } from '../domain/photo.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class SetPhoto {
  constructor(
    private readonly photos: PhotoRepository,
    private readonly lockPet: LockPet,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @returns whether the animal had none
   * @throws InvalidPhoto when the bytes are not what the type says.
   * @throws PetNotFound when no animal has this id.
   * @throws what `precondition` throws for the photo that the animal has, or null.
   */
  async execute(
    input: Photo,
    precondition?: Precondition<PhotoFacts | null>,
    within?: Transaction,
  ): Promise<boolean> {
    const photo = take(input);
    return this.unitOfWork.run(async (transaction) => {
      // Other photos of the animal wait here.
      await this.lockPet.execute(photo.petId, transaction);
      const before = await this.photos.findFacts(photo.petId, transaction);
      precondition?.(before);
      await this.photos.set(photo, before, transaction);
      return before === null;
    }, within);
  }
}
