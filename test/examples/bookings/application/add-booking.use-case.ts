import { Injectable } from '@nestjs/common';
import { type Transaction, UnitOfWork } from '@animal-store/kernel';
import { LockPet } from '../../../../src/pets/application/lock-pet.use-case.js';
import { PetNotFound } from '../../../../src/pets/domain/pet.errors.js';
import { book, type Booking, type NewBooking } from '../domain/booking.js';
import { BookingOverlaps, GuestSold, UnknownGuest } from '../domain/booking.errors.js';
import { BookingRepository } from '../domain/booking.repository.js';

/** Books days in the kennel for an animal of the store. */
@Injectable()
export class AddBooking {
  constructor(
    private readonly bookings: BookingRepository,
    private readonly lockPet: LockPet,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /**
   * @throws InvalidBooking when the last day is before the first.
   * @throws UnknownGuest when no animal has this id, GuestSold when it is sold.
   * @throws BookingOverlaps when the animal has a booking on one of these days.
   */
  async execute(input: NewBooking, within?: Transaction): Promise<Booking> {
    const booking = book(input);
    const { petId, firstDay, lastDay } = booking;
    return this.unitOfWork.run(async (transaction) => {
      // Other bookings of the animal wait here, so the next statement sees all that are stored before this one.
      await this.hold(petId, transaction);
      if (await this.bookings.isBooked(petId, firstDay, lastDay, transaction)) {
        throw new BookingOverlaps(petId);
      }
      return this.bookings.add(booking, transaction);
    }, within);
  }

  private async hold(petId: bigint, transaction: Transaction): Promise<void> {
    try {
      const { status } = await this.lockPet.execute(petId, transaction);
      if (status === 'sold') throw new GuestSold(petId);
    } catch (error) {
      throw error instanceof PetNotFound ? new UnknownGuest(petId) : error;
    }
  }
}
