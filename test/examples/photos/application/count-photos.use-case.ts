import { Injectable } from '@nestjs/common';
import type { PhotoCount } from '../domain/photo.js';
import { PhotoRepository } from '../domain/photo.repository.js';

@Injectable()
export class CountPhotos {
  constructor(private readonly photos: PhotoRepository) {}

  execute(): Promise<readonly PhotoCount[]> {
    return this.photos.counts();
  }
}
