import { Injectable } from '@nestjs/common';
import type { KennelTotal } from '../domain/booking.js';
import { InvalidDays } from '../domain/booking.errors.js';
import { BookingRepository, type DayRange } from '../domain/booking.repository.js';

@Injectable()
export class GetBookingTotals {
  constructor(private readonly bookings: BookingRepository) {}

  /** @throws InvalidDays when there is no day between them. */
  async execute(account: string, begin: DayRange): Promise<readonly KennelTotal[]> {
    if (begin.before <= begin.since) throw new InvalidDays('before must be after since.');
    return this.bookings.totals(account, begin);
  }
}
