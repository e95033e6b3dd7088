import { describeRepository } from '@animal-store/database/testing';
import type { Transaction, UnitOfWork } from '@animal-store/kernel';
import type { Photo } from '../domain/photo.js';
import type { PhotoRepository } from '../domain/photo.repository.js';
import { aPhoto, JPEG } from '../testing/photo.builder.js';
import { photosTables } from './photos.tables.js';
import { TypeOrmPhotoRepository } from './typeorm-photo.repository.js';

describeRepository(TypeOrmPhotoRepository, [photosTables], (open) => {
  let photos: PhotoRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: photos, unitOfWork } = open()));

  const set = (given: Partial<Photo> = {}) =>
    unitOfWork.run((transaction) => setWithin(transaction, aPhoto(given)));
  const setWithin = async (transaction: Transaction, photo: Photo) =>
    photos.set(photo, await photos.findFacts(photo.petId, transaction), transaction);
  const remove = (petId: bigint) =>
    unitOfWork.run(async (transaction) =>
      photos.remove(petId, (await photos.findFacts(petId, transaction))!, transaction),
    );

  it('finds a photo byte by byte as it was set', async () => {
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256));
    await set({ petId: 9007199254740993n, bytes });

    expect(await photos.find(9007199254740993n)).toEqual(aPhoto({ petId: 9007199254740993n, bytes }));
    expect(await photos.findFacts(9007199254740993n)).toEqual({ mediaType: 'image/png', etag: '"png"' });
    expect(await photos.find(1n)).toBeNull();
  });

  it('replaces a photo, and removes it', async () => {
    await set();
    await set({ mediaType: 'image/jpeg', bytes: JPEG });
    expect(await photos.find(1n)).toEqual(aPhoto({ mediaType: 'image/jpeg', bytes: JPEG }));

    await remove(1n);
    expect(await photos.find(1n)).toBeNull();
    expect(await photos.findFacts(1n)).toBeNull();
  });

  it('counts photos by type as they are added, replaced and removed', async () => {
    for (let petId = 1n; petId <= 20n; petId++) await set({ petId });
    expect(await photos.counts()).toEqual([{ mediaType: 'image/png', photos: 20n }]);
    await set({ petId: 7n });
    await set({ petId: 8n, mediaType: 'image/jpeg', bytes: JPEG });
    await remove(9n);

    expect(await photos.counts()).toEqual([
      { mediaType: 'image/jpeg', photos: 1n },
      { mediaType: 'image/png', photos: 18n },
    ]);
  });

  it('has the changes of one animal in their order', async () => {
    await set();
    await set({ petId: 2n });
    await set({ mediaType: 'image/jpeg', bytes: JPEG });
    await remove(1n);

    const changes = await photos.changesAfter(1n, 0n);
    expect(changes.map(({ kind }) => kind)).toEqual(['added', 'replaced', 'removed']);
    expect(changes.map(({ id }) => id)).toEqual(changes.map(({ id }) => id).sort());
    expect(await photos.changesAfter(1n, changes[1]!.id)).toEqual([changes[2]]);
    expect(await photos.changesAfter(7n, 0n)).toEqual([]);
  });

  it('counts nothing of a transaction that is rolled back', async () => {
    const failing = unitOfWork.run(async (transaction) => {
      await setWithin(transaction, aPhoto());
      throw new Error('planted');
    });
    await expect(failing).rejects.toThrow('planted');

    expect(await photos.counts()).toEqual([]);
  });
});
