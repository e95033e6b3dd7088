import { Injectable } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { Page, SortedPageRequest, Transaction } from '@animal-store/kernel';
import { type Booking, KENNELS, type KennelTotal, type NewBooking } from '../domain/booking.js';
import { type BookingFilter, BookingRepository, type DayRange } from '../domain/booking.repository.js';
import { BookingRecord } from './booking.record.js';

type Days = Pick<BookingRecord, 'petId' | 'firstDay' | 'lastDay'>;

/** Bookings in SQLite or PostgreSQL. */
@Injectable()
export class TypeOrmBookingRepository extends BookingRepository {
  private readonly statements;

  constructor(database: Database) {
    super();
    const bookings = database.statements(BookingRecord, 'booking');
    this.statements = {
      insert: bookings.insert(),
      byId: bookings.find({ equal: ['account', 'id'] }),
      byIdLocked: bookings.find({ equal: ['account', 'id'], lock: true }),
      update: bookings.update(['kennel', 'priceCents', 'arrivesAtMs', 'meals'], { equal: ['id'] }),
      remove: bookings.delete({ equal: ['id'] }),
      removeOfPet: bookings.delete({ equal: ['petId'] }),
      overlap: bookings.select<Days>((booking) =>
        booking
          .where('booking.petId = :petId')
          .andWhere('booking.firstDay <= :lastDay AND booking.lastDay >= :firstDay')
          .limit(1),
      ),
      list: bookings.list(
        (row): Booking => row,
        {
          equal: ['account', 'petId', 'kennel'],
          optional: ['petId', 'kennel', 'since', 'before'],
          several: { column: 'kennel', max: KENNELS.length },
          sorts: ['firstDay'],
        },
        (booking, { since, before }: Partial<DayRange>) => {
          if (since) booking.andWhere('booking.firstDay >= :since');
          if (before) booking.andWhere('booking.firstDay < :before');
          return booking;
        },
      ),
      totals: bookings
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
        ),
    };
  }

  async add(booking: NewBooking, transaction: Transaction): Promise<Booking> {
    const id = await this.statements.insert.execute(booking, transaction);
    return { ...booking, id };
  }

  lock(account: string, id: bigint, transaction: Transaction): Promise<Booking | null> {
    return this.statements.byIdLocked.getOne({ account, id }, transaction);
  }

  save(booking: Booking, transaction: Transaction): Promise<void> {
    return this.statements.update.execute(booking, transaction);
  }

  remove(id: bigint, transaction: Transaction): Promise<void> {
    return this.statements.remove.execute({ id }, transaction);
  }

  removeOfPet(petId: bigint, transaction: Transaction): Promise<void> {
    return this.statements.removeOfPet.execute({ petId }, transaction);
  }

  async findById(account: string, id: bigint): Promise<Booking | null> {
    return this.statements.byId.getOne({ account, id });
  }

  async isBooked(
    petId: bigint,
    firstDay: string,
    lastDay: string,
    transaction: Transaction,
  ): Promise<boolean> {
    return (await this.statements.overlap.getOne({ petId, firstDay, lastDay }, transaction)) !== null;
  }

  async list(
    { account, petId, kennel, since, before }: BookingFilter,
    page: SortedPageRequest<'firstDay'>,
  ): Promise<Page<Booking>> {
    // The last row of the page before is the nearer bound. With both, SQLite would begin at the other one.
    const start = page.after === null ? { since, before } : page.direction === 'ASC' ? { before } : { since };
    return this.statements.list.getPage({ account, petId, kennel, ...start }, page);
  }

  async totals(account: string, begin: DayRange): Promise<readonly KennelTotal[]> {
    return this.statements.totals.getMany({ account, ...begin });
  }
}
