import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PhotoType } from '../domain/photo.js';

/** A row of `photos`. Its properties are those of the domain. */
@Entity({ name: 'photos' })
export class PhotoRecord {
  @PrimaryColumn({ type: 'bigint', name: 'pet_id' })
  petId: bigint;

  @Column({ type: 'text', name: 'media_type' })
  mediaType: PhotoType;

  @Column({ type: 'text' })
  etag: string;

  @Column({ type: 'bytea' })
  bytes: Buffer;
}
