import { DayField } from '@animal-store/openapi';

export class BookingTotalsDto {
  @DayField({ description: 'Bookings that begin on this day or later.', example: '2027-01-31' })
  since: string;

  @DayField({ description: 'Bookings that begin before this day.', example: '2027-03-01' })
  before: string;
}
