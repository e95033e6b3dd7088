import { BookingRecord } from './booking.record.js';
import { CreateBookings1795100000000 } from './migrations/1795100000000-create-bookings.js';

/** The records of this context and the migrations that create their tables. */
export const bookingsTables = { records: [BookingRecord], migrations: [CreateBookings1795100000000] };
