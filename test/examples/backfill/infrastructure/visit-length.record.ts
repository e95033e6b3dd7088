import { Column, Entity } from 'typeorm';
import { VisitRecord } from '../../visits/infrastructure/visit.record.js';

/** The record of the visits, with the new column. Older releases leave it null. */
@Entity({ name: 'visits' })
export class VisitLengthRecord extends VisitRecord {
  @Column({ name: 'name_length', type: 'integer', nullable: true })
  nameLength: number | null;
}
