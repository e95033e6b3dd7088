import type { Transaction } from '@animal-store/kernel';
import type { Photo, PhotoCount } from './photo.js';

/** At most one photo of each animal. Callers hold the animal while they set or remove its photo. */
export abstract class PhotoRepository {
  /** Adds the photo, or replaces the one that the animal has. */
  abstract set(photo: Photo, transaction: Transaction): Promise<void>;

  /** Returns false when the animal has no photo. */
  abstract remove(petId: bigint, transaction: Transaction): Promise<boolean>;

  abstract find(petId: bigint): Promise<Photo | null>;

  /** By type, at a cost that does not grow with the photos. */
  abstract counts(): Promise<readonly PhotoCount[]>;
}
