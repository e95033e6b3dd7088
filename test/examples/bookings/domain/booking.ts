import { InvalidBooking } from './booking.errors.js';

export const KENNELS = ['small', 'large', 'outdoor'] as const;

export type Kennel = (typeof KENNELS)[number];

export interface Meal {
  /** The time of the day, `08:00`. */
  readonly at: string;
  readonly grams: number;
}

/** A stay of an animal in the kennel. A day is text, `2027-01-31`. */
export interface Booking {
  readonly id: bigint;
  readonly account: string;
  readonly petId: bigint;
  readonly kennel: Kennel;
  readonly firstDay: string;
  readonly lastDay: string;
  /** Of the whole stay. */
  readonly priceCents: bigint;
  /** Null while it is not known. */
  readonly arrivesAtMs: number | null;
  readonly meals: readonly Meal[];
}

/** A booking that has no id yet. */
export type NewBooking = Omit<Booking, 'id'>;

export type BookingKey = Pick<Booking, 'account' | 'id'>;

/** What may change. */
export type BookingTerms = Pick<Booking, 'kennel' | 'priceCents' | 'arrivesAtMs' | 'meals'>;

/** The bookings of one kind of kennel. */
export interface KennelTotal {
  readonly kennel: Kennel;
  readonly bookings: bigint;
  readonly priceCents: bigint;
}

/** @throws InvalidBooking when the last day is before the first. */
export function book(booking: NewBooking): NewBooking {
  if (booking.lastDay < booking.firstDay) throw new InvalidBooking('lastDay must not be before firstDay.');
  return booking;
}
