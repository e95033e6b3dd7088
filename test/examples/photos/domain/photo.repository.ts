import type { Transaction } from '@animal-store/kernel';
import type { PhotoChange } from './photo-change.js';
import type { Photo, PhotoCount, PhotoFacts } from './photo.js';

/** At most one photo of each animal. Callers lock the animal while they set or remove its photo. */
export abstract class PhotoRepository {
  /** Adds the photo, or replaces the one that the animal has: `before`. */
  abstract set(photo: Photo, before: PhotoFacts | null, transaction: Transaction): Promise<void>;

  abstract remove(petId: bigint, before: PhotoFacts, transaction: Transaction): Promise<void>;

  abstract find(petId: bigint): Promise<Photo | null>;

  /** Reads no bytes. */
  abstract findFacts(petId: bigint, transaction?: Transaction): Promise<PhotoFacts | null>;

  /** Those of an animal after an id, in the order of their ids: at most 100. */
  abstract changesAfter(petId: bigint, after: bigint): Promise<readonly PhotoChange[]>;

  /** By type, at a cost that does not grow with the photos. */
  abstract counts(): Promise<readonly PhotoCount[]>;
}
