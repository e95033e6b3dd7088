import type { Photo } from '../domain/photo.js';

export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
export const JPEG = Buffer.from('ffd8ffe000104a4649460001', 'hex');

/** A photo to set. A test passes only the fields it is about. */
export function aPhoto(given: Partial<Photo> = {}): Photo {
  return { petId: 1n, mediaType: 'image/png', etag: '"png"', bytes: PNG, ...given };
}
