import { Injectable } from '@nestjs/common';
import { GetPet } from '../../../../src/pets/application/get-pet.use-case.js';
import type { PhotoChange } from '../domain/photo-change.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class ListPhotoChanges {
  constructor(
    private readonly photos: PhotoRepository,
    private readonly getPet: GetPet,
  ) {}

  /**
   * Those of an animal after an id, in the order of their ids: at most 100.
   * @throws PetNotFound when no animal has this id.
   */
  async execute(petId: bigint, after: bigint): Promise<readonly PhotoChange[]> {
    const changes = await this.photos.changesAfter(petId, after);
    if (changes.length === 0) await this.getPet.execute(petId);
    return changes;
  }
}
