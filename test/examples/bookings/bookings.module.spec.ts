import { Test, type TestingModule } from '@nestjs/testing';
import { DatabaseModule } from '@animal-store/database';
import { databases, emptyBeforeEach } from '@animal-store/database/testing';
import { idempotencyTables } from '@animal-store/web/idempotency';
import { jobsTables, JobWorker } from '@animal-store/jobs';
import { FakeClock } from '@animal-store/kernel/testing';
import { CreatePet } from '../../../src/pets/application/create-pet.use-case.js';
import { ChangePet } from '../../../src/pets/application/change-pet.use-case.js';
import { petsTables } from '../../../src/pets/infrastructure/pets.tables.js';
import { SettingsModule } from '../../../src/settings/settings.module.js';
import { loadSettings } from '../../../src/settings/settings.js';
import { BookingsService } from './application/bookings.service.js';
import { BookingsModule } from './bookings.module.js';
import { BookingOverlaps, GuestSold } from './domain/booking.errors.js';
import { BookingRepository } from './domain/booking.repository.js';
import { bookingsTables } from './infrastructure/bookings.tables.js';
import { aBooking } from './testing/booking.builder.js';

describe.each(databases)('BookingsModule on %s', (_, open) => {
  const temporary = emptyBeforeEach(open, petsTables, bookingsTables, idempotencyTables, jobsTables);
  let store: TestingModule;

  beforeEach(async () => {
    store = await Test.createTestingModule({
      imports: [
        SettingsModule.forRoot(loadSettings({}), new FakeClock()),
        DatabaseModule.forRoot(temporary.database),
        BookingsModule,
      ],
    }).compile();
  });

  const add = (given = {}) => store.get(BookingsService).add(aBooking(given));

  async function addPet(status: 'available' | 'pending' | 'sold' = 'available'): Promise<bigint> {
    return (await store.get(CreatePet).execute({ name: 'Rex', categoryId: 7n, status })).id;
  }

  it('boards an animal once on a day, of 120 bookings at the same time', async () => {
    const petIds = [await addPet(), await addPet('pending')];

    const outcomes = await Promise.allSettled(
      Array.from({ length: 120 }, (_, index) => add({ petId: petIds[index % 2], account: `zoo ${index}` })),
    );

    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(118);
    expect(refused.every((error) => error instanceof BookingOverlaps)).toBe(true);
  });

  it('boards no animal that is sold at the same time', async () => {
    const petId = await addPet('pending');

    const [, booked] = await Promise.allSettled([
      store.get(ChangePet).execute(petId, 'sell'),
      add({ petId }),
    ]);

    if (booked.status === 'rejected') expect(booked.reason).toBeInstanceOf(GuestSold);
    await expect(add({ petId, firstDay: '2027-03-01', lastDay: '2027-03-01' })).rejects.toThrow(GuestSold);
  });

  it('removes the bookings of an animal that is sold', async () => {
    const [sold, open] = [await addPet('pending'), await addPet('pending')];
    for (const petId of [sold, open]) await add({ petId });

    await store.get(ChangePet).execute(sold, 'sell');
    expect(await store.get(JobWorker).runDue()).toEqual([
      { kind: 'bookings.remove-sold', state: 'done', problem: null },
    ]);
    const page = { sort: 'firstDay', direction: 'ASC', limit: 10, after: null } as const;
    const { items } = await store.get(BookingRepository).list({ account: 'zoo' }, page);
    expect(items.map(({ petId }) => petId)).toEqual([open]);
  });
});
