import { Injectable } from '@nestjs/common';
import type { KennelTotal } from '../domain/booking.js';
import { BookingRepository, type DayRange } from '../domain/booking.repository.js';

@Injectable()
export class GetBookingTotals {
  constructor(private readonly bookings: BookingRepository) {}

  execute(account: string, begin: DayRange): Promise<readonly KennelTotal[]> {
    return this.bookings.totals(account, begin);
  }
}
