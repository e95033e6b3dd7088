import { parseDecimal } from '@animal-store/kernel';
import type { BookingTerms } from '../domain/booking.js';
import type { ChangeBookingDto } from './change-booking.dto.js';
import type { NewBookingDto } from './new-booking.dto.js';

type Terms = Omit<NewBookingDto, 'petId' | 'firstDay' | 'lastDay'>;

function toInstant(text: string | null = null): number | null {
  return text === null ? null : Date.parse(text);
}

export function toBookingTerms({ kennel, price, arrivesAt, meals }: Terms): BookingTerms {
  return {
    kennel,
    priceCents: parseDecimal(price, 2),
    arrivesAtMs: toInstant(arrivesAt),
    meals,
  };
}

/** Only what was sent, as `{}` changes nothing. */
export function toBookingChange(change: ChangeBookingDto): Partial<BookingTerms> {
  const { kennel, price, arrivesAt, meals } = change;
  return {
    ...(kennel && { kennel }),
    ...(price && { priceCents: parseDecimal(price, 2) }),
    ...(arrivesAt !== undefined && { arrivesAtMs: toInstant(arrivesAt) }),
    ...(meals && { meals }),
  };
}
