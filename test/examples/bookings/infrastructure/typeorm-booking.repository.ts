import { Injectable } from '@nestjs/common';
import { RepositoryOf } from '@animal-store/database';
import type { Page, SortedPageRequest, Transaction } from '@animal-store/kernel';
import { type Booking, KENNELS, type KennelTotal } from '../domain/booking.js';
import type { BookingFilter, BookingRepository, DayRange } from '../domain/booking.repository.js';
import { BookingRecord } from './booking.record.js';

type Days = Pick<BookingRecord, 'petId' | 'firstDay' | 'lastDay'>;

const Rows = RepositoryOf(BookingRecord, 'booking', {
  key: ['account', 'id'],
  changes: ['kennel', 'priceCents', 'arrivesAtMs', 'meals'],
  list: {
    equal: ['account', 'petId', 'kennel'],
    optional: ['petId', 'kennel', 'since', 'before'],
    several: { column: 'kennel', max: KENNELS.length },
    sorts: ['firstDay'],
  },
  where: (booking, { since, before }: Partial<DayRange>) => {
    if (since) booking.andWhere('booking.firstDay >= :since');
    if (before) booking.andWhere('booking.firstDay < :before');
    return booking;
  },
});

/** Bookings in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmBookingRepository extends Rows implements BookingRepository {
  private readonly ofPet = this.statements.delete({ equal: ['petId'] });

  private readonly overlap = this.statements.select<Days>((booking) =>
    booking
      .where('booking.petId = :petId')
      .andWhere('booking.firstDay <= :lastDay AND booking.lastDay >= :firstDay')
      .limit(1),
  );

  private readonly sums = this.statements
    .except('A sum reads all that it adds up.')
    .select<DayRange & { account: string }, KennelTotal>((booking) =>
      booking
        .select('booking.kennel', 'kennel')
        .addSelect('COUNT(*)', 'bookings')
        .addSelect('CAST(SUM(booking.priceCents) AS bigint)', 'priceCents')
        .where('booking.account = :account')
        .andWhere('booking.firstDay >= :since AND booking.firstDay < :before')
        .groupBy('booking.kennel')
        .orderBy('booking.kennel'),
    );

  removeOfPet(petId: bigint, transaction: Transaction): Promise<void> {
    return this.ofPet.execute({ petId }, transaction);
  }

  async isBooked(
    petId: bigint,
    firstDay: string,
    lastDay: string,
    transaction: Transaction,
  ): Promise<boolean> {
    return (await this.overlap.getOne({ petId, firstDay, lastDay }, transaction)) !== null;
  }

  override list(
    { account, petId, kennel, since, before }: BookingFilter,
    page: SortedPageRequest<'firstDay'>,
  ): Promise<Page<Booking>> {
    // The last row of the page before is the nearer bound. With both, SQLite would begin at the other one.
    const start = page.after === null ? { since, before } : page.direction === 'ASC' ? { before } : { since };
    return super.list({ account, petId, kennel, ...start }, page);
  }

  totals(account: string, begin: DayRange): Promise<readonly KennelTotal[]> {
    return this.sums.getMany({ account, ...begin });
  }
}
