import type { Page, SortedPageRequest, Transaction } from '@animal-store/kernel';
import type { Booking, BookingKey, Kennel, KennelTotal, NewBooking } from './booking.js';

/** Days: the first one counts, the other does not. */
export interface DayRange {
  readonly since: string;
  readonly before: string;
}

/** Bookings that begin on these days. */
export interface BookingFilter extends Partial<DayRange> {
  readonly account: string;
  readonly petId?: bigint;
  /** Bookings of any of these. */
  readonly kennel?: readonly Kennel[];
}

/** The bookings of all accounts. Ids start at 1 and only grow. */
export abstract class BookingRepository {
  abstract add(booking: NewBooking, transaction: Transaction): Promise<Booking>;

  /** The account's booking, or null when it has none with this id. In a transaction it is locked until that ends. */
  abstract findOneBy(key: BookingKey, within?: Transaction): Promise<Booking | null>;

  /** Stores what may change of the locked booking. */
  abstract save(booking: Booking, transaction: Transaction): Promise<void>;

  abstract remove(key: BookingKey, transaction: Transaction): Promise<void>;

  /** Removes all bookings of the animal, of whatever account. */
  abstract removeOfPet(petId: bigint, transaction: Transaction): Promise<void>;

  /** Whether the animal has a booking, of any account, on one of these days. */
  abstract isBooked(
    petId: bigint,
    firstDay: string,
    lastDay: string,
    transaction: Transaction,
  ): Promise<boolean>;

  /** The bookings that match `filter`, a page at a time. */
  abstract list(filter: BookingFilter, page: SortedPageRequest<'firstDay'>): Promise<Page<Booking>>;

  /** Of the account's bookings that begin on these days, by kennel. */
  abstract totals(account: string, begin: DayRange): Promise<readonly KennelTotal[]>;
}
