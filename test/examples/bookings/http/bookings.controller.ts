import type { ServerResponse } from 'node:http';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Res } from '@nestjs/common';
import { Caller, RequireScope } from '@animal-store/api-keys';
import { Idempotent } from '@animal-store/idempotency/swagger';
import type { Precondition } from '@animal-store/kernel';
import { Operation, Tag } from '@animal-store/openapi';
import { RateLimit } from '@animal-store/rate-limiting';
import { IdPipe, IfMatch, requestedList, showCreated, showPage } from '@animal-store/web';
import type { KeyFacts } from '../../../../src/access/key-facts.js';
import { UnknownPet } from '../../../../src/pets/domain/pet.errors.js';
import { BookingsService } from '../application/bookings.service.js';
import type { Booking } from '../domain/booking.js';
import { BookingNotFound, BookingOverlaps, GuestSold } from '../domain/booking.errors.js';
import { BookingRepository } from '../domain/booking.repository.js';
import {
  BookingResponse,
  BookingTotalsDto,
  BookingTotalsResponse,
  ChangeBookingDto,
  ListBookingsDto,
  NewBookingDto,
  SORTS,
  toBooking,
  toBookingChange,
  toBookingTerms,
  toBookingTotals,
} from './booking.dto.js';

const PATH = '/v1/bookings';
const BookingId = Param('bookingId', new IdPipe(BookingNotFound));

/** Every operation works on the bookings of the caller's account only. */
@Tag('Bookings', 'Stays of animals in the kennel. An account sees only its own bookings.')
@Controller({ path: 'bookings', version: '1' })
@RequireScope('bookings:read')
export class BookingsController {
  constructor(
    private readonly bookings: BookingsService,
    private readonly repository: BookingRepository,
  ) {}

  @Get()
  @Operation({
    summary: 'List bookings',
    description: 'Your bookings in the order of their first days. The `Link` header has the next page.',
    response: { page: BookingResponse },
  })
  async listBookings(
    @Caller() { account }: KeyFacts,
    @Query() query: ListBookingsDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly BookingResponse[]> {
    const list = requestedList(PATH, query, 'text');
    const { sort, ...filters } = list.filters;
    const page = await this.repository.list({ ...filters, account }, { ...list.page, ...SORTS[sort] });
    return showPage(response, page, list, toBooking);
  }

  @Post()
  @RequireScope('bookings:write')
  @Operation({
    summary: 'Book days in the kennel',
    description: 'The animal must not be sold, and must have no other booking on these days.',
    response: { created: BookingResponse },
    errors: [UnknownPet, GuestSold, BookingOverlaps],
  })
  @Idempotent()
  async addBooking(
    @Caller() { account }: KeyFacts,
    @Body() { petId, firstDay, lastDay, ...terms }: NewBookingDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<BookingResponse> {
    const booking = await this.bookings.add({ account, petId, firstDay, lastDay, ...toBookingTerms(terms) });
    return showCreated(response, PATH, toBooking(booking));
  }

  // Before `:bookingId`, which would match too.
  @Get('totals')
  @RateLimit({ cost: 5 })
  @Operation({
    summary: 'Count bookings and add up their prices',
    description: 'Your bookings that begin on these days, by kind of kennel. It counts as five requests.',
    response: { item: BookingTotalsResponse },
  })
  async getBookingTotals(
    @Caller() { account }: KeyFacts,
    @Query() days: BookingTotalsDto,
  ): Promise<BookingTotalsResponse> {
    return toBookingTotals(await this.bookings.totals(account, days));
  }

  @Get(':bookingId')
  @Operation({ summary: 'Get a booking', response: { item: BookingResponse } })
  async getBooking(@Caller() { account }: KeyFacts, @BookingId id: bigint): Promise<BookingResponse> {
    return toBooking(await this.bookings.get({ account, id }));
  }

  @Patch(':bookingId')
  @RequireScope('bookings:write')
  @Operation({
    summary: 'Change a booking',
    description: 'Everything but the animal and the days may change.',
    response: { changed: BookingResponse },
  })
  async changeBooking(
    @Caller() { account }: KeyFacts,
    @BookingId id: bigint,
    @Body() change: ChangeBookingDto,
    @IfMatch(toBooking, { required: true }) isCurrent: Precondition<Booking>,
  ): Promise<BookingResponse> {
    return toBooking(await this.bookings.change({ account, id }, toBookingChange(change), isCurrent));
  }

  @Delete(':bookingId')
  @RequireScope('bookings:write')
  @Operation({ summary: 'Remove a booking', response: 'nothing' })
  async removeBooking(@Caller() { account }: KeyFacts, @BookingId id: bigint): Promise<void> {
    await this.bookings.remove({ account, id });
  }
}
