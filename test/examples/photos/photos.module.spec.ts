import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseModule } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { jobsTables } from '@animal-store/jobs';
import { FakeClock } from '@animal-store/kernel/testing';
import { CreatePet } from '../../../src/pets/application/create-pet.use-case.js';
import { petsTables } from '../../../src/pets/infrastructure/pets.tables.js';
import { SettingsModule } from '../../../src/settings/settings.module.js';
import { loadSettings } from '../../../src/settings/settings.js';
import { CountPhotos } from './application/count-photos.use-case.js';
import { GetPhoto } from './application/get-photo.use-case.js';
import { RemovePhoto } from './application/remove-photo.use-case.js';
import { SetPhoto } from './application/set-photo.use-case.js';
import { PhotoNotFound } from './domain/photo.errors.js';
import { photosTables } from './infrastructure/photos.tables.js';
import { PhotosModule } from './photos.module.js';
import { aPhoto, JPEG } from './testing/photo.builder.js';

describe.each(databases)('PhotosModule on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, petsTables, photosTables, idempotencyTables, jobsTables);
  let store: TestingModule;

  beforeEach(async () => {
    store = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings({}), new FakeClock()),
        DatabaseModule.forRoot(temporary.database),
        PhotosModule,
      ],
    }).compile();
  });

  const set = (given = {}) => store.get(SetPhoto).execute(aPhoto(given));

  async function addPet(): Promise<bigint> {
    return (await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n, status: 'available' })).id;
  }

  it('counts what there is after 120 changes of a few photos at the same time', async () => {
    const petIds = [await addPet(), await addPet(), await addPet()];
    const change = (index: number): Promise<unknown> => {
      const petId = petIds[index % 3]!;
      if (index % 4 === 3) return store.get(RemovePhoto).execute(petId);
      return set(index % 2 ? { petId } : { petId, mediaType: 'image/jpeg', bytes: JPEG });
    };

    const outcomes = await Promise.allSettled(Array.from({ length: 120 }, (_, index) => change(index)));

    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused.filter((error) => !(error instanceof PhotoNotFound))).toEqual([]);
    const left = await Promise.all(
      petIds.map((id) =>
        store
          .get(GetPhoto)
          .execute(id)
          .catch(() => null),
      ),
    );
    const counts = await store.get(CountPhotos).execute();
    for (const { mediaType, photos } of counts)
      expect(photos).toBe(BigInt(left.filter((photo) => photo?.mediaType === mediaType).length));
    expect(counts.length).toBeGreaterThan(0);
  });
});
