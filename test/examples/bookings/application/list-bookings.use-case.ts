import { Injectable } from '@nestjs/common';
import type { Page, SortedPageRequest } from '@animal-store/kernel';
import type { Booking, Kennel } from '../domain/booking.js';
import { BookingRepository } from '../domain/booking.repository.js';

export interface ListBookingsInput extends SortedPageRequest<'firstDay'> {
  readonly account: string;
  readonly petId?: bigint;
  readonly kennel?: readonly Kennel[];
  readonly since?: string;
  readonly before?: string;
}

@Injectable()
export class ListBookings {
  constructor(private readonly bookings: BookingRepository) {}

  execute({ account, petId, kennel, since, before, ...page }: ListBookingsInput): Promise<Page<Booking>> {
    // The list is read in the order of these days, so their bounds cost nothing, and one statement has all ranges.
    const begin = { since: since ?? '0000-01-01', before: before ?? '9999-12-31' };
    return this.bookings.list({ account, petId, kennel, begin }, page);
  }
}
