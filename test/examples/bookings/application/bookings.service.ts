import { Injectable } from '@nestjs/common';
import { type Precondition, type Transaction, UnitOfWork } from '@animal-store/kernel';
import { LockPet } from '../../../../src/pets/application/lock-pet.use-case.js';
import { UnknownPet } from '../../../../src/pets/domain/pet.errors.js';
import {
  book,
  type Booking,
  type BookingKey,
  type BookingTerms,
  type KennelTotal,
  type NewBooking,
} from '../domain/booking.js';
import { BookingNotFound, BookingOverlaps, GuestSold, InvalidDays } from '../domain/booking.errors.js';
import { BookingRepository, type DayRange } from '../domain/booking.repository.js';

@Injectable()
export class BookingsService {
  constructor(
    private readonly bookings: BookingRepository,
    private readonly lockPet: LockPet,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * Books days in the kennel for an animal of the store.
   * @throws InvalidBooking when the last day is before the first.
   * @throws UnknownPet when no animal has this id, GuestSold when it is sold.
   * @throws BookingOverlaps when the animal has a booking on one of these days.
   */
  async add(input: NewBooking, within?: Transaction): Promise<Booking> {
    const booking = book(input);
    const { petId, firstDay, lastDay } = booking;
    return this.unitOfWork.run(async (transaction) => {
      // Other bookings of the animal wait here, so the next statement sees all that are stored before this one.
      const { status } = await this.lockPet.execute(petId, transaction, UnknownPet);
      if (status === 'sold') throw new GuestSold(petId);
      if (await this.bookings.isBooked(petId, firstDay, lastDay, transaction)) {
        throw new BookingOverlaps(petId);
      }
      return this.bookings.add(booking, transaction);
    }, within);
  }

  /**
   * The account's booking. In a transaction it is locked until that ends.
   * @throws BookingNotFound when the account has none with this id.
   */
  async get(key: BookingKey, within?: Transaction): Promise<Booking> {
    const booking = await this.bookings.findOneBy(key, within);
    if (!booking) throw new BookingNotFound(key.id);
    return booking;
  }

  /** @throws BookingNotFound, then what `isCurrent` throws. */
  change(key: BookingKey, terms: Partial<BookingTerms>, isCurrent: Precondition<Booking>): Promise<Booking> {
    return this.unitOfWork.run(async (transaction) => {
      const booking = await this.get(key, transaction);
      isCurrent(booking);
      const changed = { ...booking, ...terms };
      await this.bookings.save(changed, transaction);
      return changed;
    });
  }

  /** @throws BookingNotFound when the account has none with this id. */
  remove(key: BookingKey): Promise<void> {
    return this.unitOfWork.run(async (transaction) => {
      await this.get(key, transaction);
      await this.bookings.remove(key, transaction);
    });
  }

  /** Removes the bookings of an animal, of all accounts. */
  removeOfPet(petId: bigint): Promise<void> {
    return this.unitOfWork.run((transaction) => this.bookings.removeOfPet(petId, transaction));
  }

  /** @throws InvalidDays when there is no day between them. */
  async totals(account: string, begin: DayRange): Promise<readonly KennelTotal[]> {
    if (begin.before <= begin.since) throw new InvalidDays('before must be after since.');
    return this.bookings.totals(account, begin);
  }
}
