import { Injectable } from '@nestjs/common';
import type { Photo } from '../domain/photo.js';
import { PhotoNotFound } from '../domain/photo.errors.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class GetPhoto {
  constructor(private readonly photos: PhotoRepository) {}

  /** @throws PhotoNotFound when there is no such animal, or it has no photo. */
  async execute(petId: bigint): Promise<Photo> {
    const photo = await this.photos.find(petId);
    if (!photo) throw new PhotoNotFound(petId);
    return photo;
  }
}
