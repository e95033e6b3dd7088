import { Injectable } from '@nestjs/common';
import type { Photo } from '../domain/photo.js';
import { PhotoNotFound } from '../domain/photo.errors.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class GetPhoto {
  constructor(private readonly photos: PhotoRepository) {}

  /**
   * @param isKnown whether the caller has the photo with this tag: then its bytes are not read, and are none.
   * @throws PhotoNotFound when there is no such animal, or it has no photo.
   */
  async execute(petId: bigint, isKnown?: (etag: string) => boolean): Promise<Photo> {
    const facts = isKnown && (await this.photos.findFacts(petId));
    if (facts && isKnown(facts.etag)) return { petId, ...facts, bytes: Buffer.alloc(0) };
    const photo = await this.photos.find(petId);
    if (!photo) throw new PhotoNotFound(petId);
    return photo;
  }
}
