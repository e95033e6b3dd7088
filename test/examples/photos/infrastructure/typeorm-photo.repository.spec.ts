import { describeRepository } from '@animal-store/database/testing';
import { photoRepositoryContract } from '../testing/photo.repository.contract.js';
import { photosTables } from './photos.tables.js';
import { TypeOrmPhotoRepository } from './typeorm-photo.repository.js';

describeRepository(TypeOrmPhotoRepository, [photosTables], photoRepositoryContract);
