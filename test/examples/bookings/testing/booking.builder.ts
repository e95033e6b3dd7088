import type { NewBooking } from '../domain/booking.js';

/** A booking to add. A test passes only the fields it is about. */
export function aBooking(given: Partial<NewBooking> = {}): NewBooking {
  return {
    account: 'zoo',
    petId: 1n,
    kennel: 'small',
    firstDay: '2027-01-30',
    lastDay: '2027-01-31',
    priceCents: 14_750n,
    arrivesAtMs: null,
    meals: [],
    ...given,
  };
}
