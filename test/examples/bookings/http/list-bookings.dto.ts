import { DayField, EnumField, Int64Field } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { KENNELS, type Kennel } from '../domain/booking.js';

export const SORTS = {
  firstDay: { sort: 'firstDay', direction: 'ASC' },
  '-firstDay': { sort: 'firstDay', direction: 'DESC' },
} as const;

export class ListBookingsDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @Int64Field({ optional: true, description: 'Only bookings of this animal.', example: 1 })
  petId?: bigint;

  @EnumField(KENNELS, {
    name: 'Kennel',
    optional: true,
    each: { maxItems: KENNELS.length },
    description: 'Only bookings of one of these: `kennel=small&kennel=large`.',
  })
  kennel?: Kennel[];

  @DayField({ optional: true, description: 'Only bookings that begin on this day or later.' })
  since?: string;

  @DayField({ optional: true, description: 'Only bookings that begin before this day.' })
  before?: string;

  @EnumField(Object.keys(SORTS), {
    name: 'BookingSort',
    optional: true,
    description: 'Without it the earliest first day comes first.',
  })
  sort: keyof typeof SORTS = 'firstDay';

  @PageCursor(10)
  cursor?: string;
}
