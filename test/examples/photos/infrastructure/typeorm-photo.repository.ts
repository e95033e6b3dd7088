import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { Transaction } from '@animal-store/kernel';
import type { PhotoChange, PhotoChangeKind } from '../domain/photo-change.js';
import {
  type Photo,
  PHOTO_TYPES,
  type PhotoCount,
  type PhotoFacts,
  type PhotoType,
} from '../domain/photo.js';
import { PhotoRepository } from '../domain/photo.repository.js';
import { PhotoChangeRecord } from './photo-change.record.js';
import { PhotoCountRecord } from './photo-count.record.js';
import { PhotoRecord } from './photo.record.js';

/** How many changes of one type need not wait for one another. */
const PARTS = 16n;

/** Photos in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmPhotoRepository extends PhotoRepository {
  private readonly statements: ReturnType<typeof photoStatements>;

  constructor(database: Database) {
    super();
    this.statements = photoStatements(database);
  }

  async set(photo: Photo, before: PhotoFacts | null, transaction: Transaction): Promise<void> {
    await this.statements.set.execute(photo, transaction);
    await this.count(photo.petId, before?.mediaType, photo.mediaType, transaction);
    await this.record(photo.petId, before ? 'replaced' : 'added', transaction);
  }

  async remove(petId: bigint, before: PhotoFacts, transaction: Transaction): Promise<void> {
    await this.statements.remove.execute({ petId }, transaction);
    await this.count(petId, before.mediaType, undefined, transaction);
    await this.record(petId, 'removed', transaction);
  }

  find(petId: bigint): Promise<Photo | null> {
    return this.statements.byPet.getOne({ petId });
  }

  findFacts(petId: bigint, transaction?: Transaction): Promise<PhotoFacts | null> {
    return this.statements.facts.getOne({ petId }, transaction);
  }

  counts(): Promise<readonly PhotoCount[]> {
    return this.statements.counts.getMany({});
  }

  changesAfter(petId: bigint, after: bigint): Promise<readonly PhotoChange[]> {
    return this.statements.changesAfter.getMany({ petId, after });
  }

  /** The animal is locked until the transaction ends, so its changes are committed in the order of their ids. */
  private async record(petId: bigint, kind: PhotoChangeKind, transaction: Transaction): Promise<void> {
    await this.statements.change.execute({ petId, kind }, transaction);
  }

  /** In the order of the types, so that two changes that count the same ones do not wait for each other. */
  private async count(
    petId: bigint,
    before: PhotoType | undefined,
    after: PhotoType | undefined,
    transaction: Transaction,
  ): Promise<void> {
    for (const mediaType of PHOTO_TYPES) {
      const photos = BigInt(mediaType === after) - BigInt(mediaType === before);
      if (photos === 0n) continue;
      await this.statements.count.getMany({ mediaType, part: petId % PARTS, photos }, transaction);
    }
  }
}

function photoStatements(database: Database) {
  const photos = database.statements(PhotoRecord, 'photo');
  const changes = database.statements(PhotoChangeRecord, 'change');
  const counts = database.statements(PhotoCountRecord, 'count');
  return {
    byPet: photos.find({ equal: ['petId'] }),
    facts: photos.select<Pick<PhotoRecord, 'petId'>, PhotoFacts>((photo) =>
      photo.select(['photo.mediaType', 'photo.etag']).where('photo.petId = :petId'),
    ),
    set: photos.insertWithId(['petId', 'mediaType', 'etag', 'bytes'], { replaces: ['petId'] }),
    remove: photos.delete({ equal: ['petId'] }),
    change: changes.insert(['petId', 'kind']),
    changesAfter: changes.select<{ petId: bigint; after: bigint }>((change) =>
      change.where('change.petId = :petId AND change.id > :after').orderBy('change.id').limit(100),
    ),
    /** SQL text, because the query builder cannot add to what there is. */
    count: counts.sql<PhotoCountRecord>(
      ({ table, columns: { mediaType, part, photos: count } }) =>
        `INSERT INTO ${table} (${mediaType}, ${part}, ${count}) VALUES (:mediaType, :part, :photos)
        ON CONFLICT (${mediaType}, ${part}) DO UPDATE SET ${count} = ${table}.${count} + excluded.${count}`,
    ),
    counts: counts
      .except('It adds up the parts of all types, which are as few as ever.')
      .select<object, PhotoCount>((count) =>
        count
          .select('count.mediaType', 'mediaType')
          .addSelect('CAST(SUM(count.photos) AS bigint)', 'photos')
          .groupBy('count.mediaType')
          .orderBy('count.mediaType'),
      ),
  };
}
