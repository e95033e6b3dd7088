import { InvalidPhoto } from './photo.errors.js';

export const PHOTO_TYPES = ['image/jpeg', 'image/png'] as const;

export type PhotoType = (typeof PHOTO_TYPES)[number];

/** How a file of each type begins. */
const SIGNATURES: Readonly<Record<PhotoType, Buffer>> = {
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff]),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
};

/** What an animal looks like. */
export interface Photo {
  readonly petId: bigint;
  readonly mediaType: PhotoType;
  /** What `GET` sends as `ETag`. */
  readonly etag: string;
  readonly bytes: Buffer;
}

/** What is known of a photo without reading it. */
export type PhotoFacts = Pick<Photo, 'mediaType' | 'etag'>;

/** How many photos of a type there are. */
export interface PhotoCount {
  readonly mediaType: PhotoType;
  readonly photos: bigint;
}

/** @throws InvalidPhoto when the bytes are not what the type says. */
export function take(photo: Photo): Photo {
  const signature = SIGNATURES[photo.mediaType];
  if (!photo.bytes.subarray(0, signature.length).equals(signature)) throw new InvalidPhoto(photo.mediaType);
  return photo;
}
