import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { formatDecimal } from '@animal-store/kernel';
import { DecimalField, EnumField, Int64Field } from '@animal-store/openapi';
import { type Booking, KENNELS, type Kennel, type KennelTotal } from '../domain/booking.js';
import { NewBookingDto } from './new-booking.dto.js';

@ApiSchema({ name: 'Booking', description: 'A stay of an animal in the kennel.' })
export class BookingResponse extends NewBookingDto {
  @Int64Field({ minimum: 1n, description: 'The service sets it.', example: 1 })
  id: bigint;
}

export function toBooking(booking: Booking): BookingResponse {
  const { id, petId, kennel, firstDay, lastDay, priceCents, arrivesAtMs, meals } = booking;
  return {
    id,
    petId,
    kennel,
    firstDay,
    lastDay,
    price: formatDecimal(priceCents, 2),
    arrivesAt: arrivesAtMs === null ? undefined : new Date(arrivesAtMs).toISOString(),
    meals: [...meals],
  };
}

@ApiSchema({ name: 'KennelTotal', description: 'The bookings of one kind of kennel.' })
export class KennelTotalResponse {
  @EnumField(KENNELS, { name: 'Kennel', example: 'small' })
  kennel: Kennel;

  @Int64Field({ minimum: 1n, description: 'How many.', example: 2 })
  bookings: bigint;

  @DecimalField({ whole: 17, places: 2, description: 'Of all of them.', example: '295.00' })
  price: string;
}

@ApiSchema({ name: 'BookingTotals', description: 'Bookings and prices by kind of kennel.' })
export class BookingTotalsResponse {
  @ApiProperty({ type: [KennelTotalResponse], maxItems: KENNELS.length })
  kennels: KennelTotalResponse[];
}

export function toBookingTotals(totals: readonly KennelTotal[]): BookingTotalsResponse {
  const kennels = totals.map(({ kennel, bookings, priceCents }) => ({
    kennel,
    bookings,
    price: formatDecimal(priceCents, 2),
  }));
  return { kennels };
}
