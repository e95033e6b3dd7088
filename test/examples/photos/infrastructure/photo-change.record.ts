import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';
import type { PhotoChangeKind } from '../domain/photo-change.js';

/** A row of `photo_changes`, which is never changed. */
@Entity({ name: 'photo_changes' })
export class PhotoChangeRecord {
  @PrimaryGeneratedColumn({ type: 'bigint' })
  id: bigint;

  @Column({ type: 'bigint', name: 'pet_id' })
  petId: bigint;

  @Column({ type: 'text' })
  kind: PhotoChangeKind;
}
