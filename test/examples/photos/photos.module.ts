import { Module } from '@nestjs/common';
import { PetsModule } from '../../../src/pets/pets.module.js';
import { CountPhotos } from './application/count-photos.use-case.js';
import { GetPhoto } from './application/get-photo.use-case.js';
import { ListPhotoChanges } from './application/list-photo-changes.use-case.js';
import { RemovePhoto } from './application/remove-photo.use-case.js';
import { SetPhoto } from './application/set-photo.use-case.js';
import { PhotoRepository } from './domain/photo.repository.js';
import { PhotosController } from './http/photos.controller.js';
import { TypeOrmPhotoRepository } from './infrastructure/typeorm-photo.repository.js';

@Module({
  imports: [PetsModule],
  controllers: [PhotosController],
  providers: [
    ...[SetPhoto, GetPhoto, RemovePhoto, CountPhotos, ListPhotoChanges],
    { provide: PhotoRepository, useClass: TypeOrmPhotoRepository },
  ],
})
export class PhotosModule {}
