import { Injectable } from '@nestjs/common';
import type { Booking } from '../domain/booking.js';
import { BookingNotFound } from '../domain/booking.errors.js';
import { BookingRepository } from '../domain/booking.repository.js';

@Injectable()
export class GetBooking {
  constructor(private readonly bookings: BookingRepository) {}

  /** @throws BookingNotFound when the account has no booking with this id. */
  async execute(account: string, id: bigint): Promise<Booking> {
    const booking = await this.bookings.findById(account, id);
    if (!booking) throw new BookingNotFound(id);
    return booking;
  }
}
