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
    return this.bookings.list({ account, petId, kennel, begin: { since, before } }, page);
  }
}
