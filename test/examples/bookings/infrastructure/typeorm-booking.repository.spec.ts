import { describeRepository } from '@animal-store/database/testing';
import type { UnitOfWork } from '@animal-store/kernel';
import type { Booking, NewBooking } from '../domain/booking.js';
import type { BookingFilter, BookingRepository } from '../domain/booking.repository.js';
import { aBooking } from '../testing/booking.builder.js';
import { bookingsTables } from './bookings.tables.js';
import { TypeOrmBookingRepository } from './typeorm-booking.repository.js';

describeRepository(TypeOrmBookingRepository, [bookingsTables], (open) => {
  let bookings: BookingRepository;
  let unitOfWork: UnitOfWork;

  beforeEach(() => ({ repository: bookings, unitOfWork } = open()));

  function add(given: Partial<NewBooking> = {}): Promise<Booking> {
    return unitOfWork.run((transaction) => bookings.add(aBooking(given), transaction));
  }

  async function listed(
    filter: Partial<BookingFilter>,
    direction: 'ASC' | 'DESC' = 'ASC',
  ): Promise<bigint[]> {
    const ids: bigint[] = [];
    let after = null;
    do {
      const page = { sort: 'firstDay', direction, limit: 2, after } as const;
      const { items, next } = await bookings.list({ account: 'zoo', ...filter }, page);
      ids.push(...items.map(({ id }) => id));
      after = next;
    } while (after !== null);
    return ids;
  }

  it('finds a booking as it was added', async () => {
    const meals = [{ at: '08:00', grams: 250 }];
    const added = await add({ petId: 9007199254740993n, arrivesAtMs: 1_801_301_400_123, meals });

    expect(added).toMatchObject({ id: 1n, petId: 9007199254740993n, arrivesAtMs: 1_801_301_400_123, meals });
    expect(await bookings.findOneBy({ account: 'zoo', id: 1n })).toEqual(added);
    expect(await bookings.findOneBy({ account: 'circus', id: 1n })).toBeNull();
  });

  it('stores a price that no floating-point number has', async () => {
    const { id } = await add({ priceCents: 9_007_199_254_740_993n });

    expect((await bookings.findOneBy({ account: 'zoo', id }))?.priceCents).toBe(9_007_199_254_740_993n);
  });

  it('locks a booking of the account only, stores its change, and removes it', async () => {
    const { id } = await add({ arrivesAtMs: 0 });
    expect((await bookings.findOneBy({ account: 'zoo', id }))?.arrivesAtMs).toBe(0);
    await unitOfWork.run(async (transaction) => {
      expect(await bookings.findOneBy({ account: 'circus', id }, transaction)).toBeNull();
      const booking = await bookings.findOneBy({ account: 'zoo', id }, transaction);
      await bookings.save({ ...booking!, kennel: 'large', arrivesAtMs: null }, transaction);
    });
    expect(await bookings.findOneBy({ account: 'zoo', id })).toMatchObject({
      kennel: 'large',
      arrivesAtMs: null,
    });

    await unitOfWork.run((transaction) => bookings.remove({ account: 'zoo', id }, transaction));
    expect(await bookings.findOneBy({ account: 'zoo', id })).toBeNull();
  });

  it.each([
    ['2027-01-29', '2027-01-29', false],
    ['2027-01-29', '2027-01-30', true],
    ['2027-01-31', '2027-02-02', true],
    ['2027-02-01', '2027-02-02', false],
  ])('says whether the animal is booked from %s to %s: %s', async (firstDay, lastDay, isBooked) => {
    await add({ account: 'circus', petId: 7n });
    await unitOfWork.run(async (transaction) => {
      expect(await bookings.isBooked(7n, firstDay, lastDay, transaction)).toBe(isBooked);
      expect(await bookings.isBooked(8n, firstDay, lastDay, transaction)).toBe(false);
    });
  });

  it('lists by first day, with every filter, on every page', async () => {
    await add({ firstDay: '2027-03-01', lastDay: '2027-03-01', kennel: 'large' });
    await add({ firstDay: '2027-01-01', lastDay: '2027-01-01', petId: 2n });
    await add({ firstDay: '2027-03-01', lastDay: '2027-03-01', kennel: 'outdoor' });
    await add({ firstDay: '2027-02-01', lastDay: '2027-02-01', petId: 2n, kennel: 'large' });
    await add({ account: 'circus' });

    expect(await listed({})).toEqual([2n, 4n, 1n, 3n]);
    expect(await listed({}, 'DESC')).toEqual([3n, 1n, 4n, 2n]);
    expect(await listed({ petId: 2n })).toEqual([2n, 4n]);
    expect(await listed({ kennel: ['large', 'outdoor'] })).toEqual([4n, 1n, 3n]);
    expect(await listed({ petId: 2n, kennel: ['large'] })).toEqual([4n]);
    expect(await listed({ since: '2027-01-02', before: '2027-03-01' })).toEqual([4n]);
    expect(await listed({ since: '2027-01-02' })).toEqual([4n, 1n, 3n]);
    expect(await listed({ before: '2027-03-02' }, 'DESC')).toEqual([3n, 1n, 4n, 2n]);
  });

  it('adds up the prices of the bookings that begin on these days, exactly', async () => {
    await add({ priceCents: 9_007_199_254_740_993n });
    await add({ priceCents: 1n });
    await add({ kennel: 'large', priceCents: 5n });
    await add({ account: 'circus' });
    await add({ firstDay: '2027-01-31' });

    expect(await bookings.totals('zoo', { since: '2027-01-30', before: '2027-01-31' })).toEqual([
      { kennel: 'large', bookings: 1n, priceCents: 5n },
      { kennel: 'small', bookings: 2n, priceCents: 9_007_199_254_740_994n },
    ]);
  });
});
