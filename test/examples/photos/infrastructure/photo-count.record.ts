import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PhotoType } from '../domain/photo.js';

/** A part of the count of a type. With a single row for each, all changes on PostgreSQL would wait for one another. */
@Entity({ name: 'photo_counts' })
export class PhotoCountRecord {
  @PrimaryColumn({ type: 'text', name: 'media_type' })
  mediaType: PhotoType;

  @PrimaryColumn({ type: 'bigint' })
  part: bigint;

  @Column({ type: 'bigint' })
  photos: bigint;
}
