import { Day } from './day.js';

export class BookingTotalsDto {
  @Day({ description: 'Bookings that begin on this day or later.' })
  since: string;

  @Day({ description: 'Bookings that begin before this day.', example: '2027-03-01' })
  before: string;
}
