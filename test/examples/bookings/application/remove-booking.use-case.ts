import { Injectable } from '@nestjs/common';
import { type Precondition, UnitOfWork } from '@animal-store/kernel';
import type { Booking } from '../domain/booking.js';
import { BookingNotFound } from '../domain/booking.errors.js';
import { BookingRepository } from '../domain/booking.repository.js';

@Injectable()
export class RemoveBooking {
  constructor(
    private readonly bookings: BookingRepository,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws BookingNotFound when the account has no booking with this id. What `precondition` throws comes next. */
  execute(account: string, id: bigint, precondition?: Precondition<Booking>): Promise<void> {
    return this.unitOfWork.run(async (transaction) => {
      const check = (current: Booking) => precondition?.(current);
      if (!(await this.bookings.remove(account, id, check, transaction))) throw new BookingNotFound(id);
    });
  }
}
