import { Injectable } from '@nestjs/common';
import { type Precondition, UnitOfWork } from '@animal-store/kernel';
import type { Booking, BookingTerms } from '../domain/booking.js';
import { BookingNotFound } from '../domain/booking.errors.js';
import { BookingRepository } from '../domain/booking.repository.js';

@Injectable()
export class ChangeBooking {
  constructor(
    private readonly bookings: BookingRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws BookingNotFound when the account has no booking with this id. What `precondition` throws comes next. */
  execute(
    account: string,
    id: bigint,
    terms: Partial<BookingTerms>,
    precondition?: Precondition<Booking>,
  ): Promise<Booking> {
    return this.unitOfWork.run(async (transaction) => {
      const booking = await this.bookings.change(
        account,
        id,
        (current) => {
          precondition?.(current);
          return { ...current, ...terms };
        },
        transaction,
      );
      if (!booking) throw new BookingNotFound(id);
      return booking;
    });
  }
}
