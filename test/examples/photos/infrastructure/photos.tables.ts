import { CreatePhotos1795100001000 } from './migrations/1795100001000-create-photos.js';
import { PhotoChangeRecord } from './photo-change.record.js';
import { PhotoCountRecord } from './photo-count.record.js';
import { PhotoRecord } from './photo.record.js';

/** The records of this context and the migrations that create their tables. */
export const photosTables = {
  records: [PhotoRecord, PhotoCountRecord, PhotoChangeRecord],
  migrations: [CreatePhotos1795100001000],
};
