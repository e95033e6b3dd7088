import { ApiProperty, ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsInt, Matches, Max, Min, ValidateNested } from 'class-validator';
import { formatDecimal, parseDecimal } from '@animal-store/kernel';
import { DayField, DecimalField, EnumField, InstantField, Int64Field } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import {
  type Booking,
  type BookingTerms,
  KENNELS,
  type Kennel,
  type KennelTotal,
} from '../domain/booking.js';

const TIME_OF_DAY = '^([01]\\d|2[0-3]):[0-5]\\d$';

@ApiSchema({ name: 'Meal', description: 'A meal of every day.' })
export class MealDto {
  @Matches(new RegExp(TIME_OF_DAY), { message: '$property must be a time of the day, such as 08:00' })
  @ApiProperty({ type: 'string', pattern: TIME_OF_DAY, maxLength: 5, example: '08:00' })
  at: string;

  @IsInt()
  @Min(1)
  @Max(5_000)
  @ApiProperty({ type: 'integer', format: 'int32', minimum: 1, maximum: 5_000, example: 250 })
  grams: number;
}

@ApiSchema({ name: 'NewBooking', description: 'A booking to add. The service sets its id.' })
export class NewBookingDto {
  @Int64Field({ description: 'The animal to board. It must not be sold.', example: 1 })
  petId: bigint;

  @EnumField(KENNELS, { name: 'Kennel', example: 'small' })
  kennel: Kennel;

  @DayField({ description: 'The first day of the stay.', example: '2027-01-31' })
  firstDay: string;

  @DayField({ description: 'The last day of the stay, not before the first.', example: '2027-01-31' })
  lastDay: string;

  @DecimalField({ whole: 6, places: 2, description: 'Of the whole stay.', example: '147.50' })
  price: string;

  @InstantField({ optional: true, nullable: true, description: 'When the animal arrives, if that is known.' })
  arrivesAt?: string | null;

  @IsArray()
  @ArrayMaxSize(5)
  @ValidateNested({ each: true })
  @Type(() => MealDto)
  @ApiProperty({ type: [MealDto], maxItems: 5 })
  meals: MealDto[];
}

@ApiSchema({
  name: 'BookingChange',
  description: 'What changes of a booking. A field that is left out stays.',
})
export class ChangeBookingDto extends PartialType(
  OmitType(NewBookingDto, ['petId', 'firstDay', 'lastDay'] as const),
  { skipNullProperties: false },
) {}

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

/** Only what was sent, which the class without fields of its own has alone. */
export function toBookingChange({ price, arrivesAt, ...terms }: ChangeBookingDto): Partial<BookingTerms> {
  return {
    ...terms,
    ...(price && { priceCents: parseDecimal(price, 2) }),
    ...(arrivesAt !== undefined && { arrivesAtMs: toInstant(arrivesAt) }),
  };
}

export const SORTS = {
  firstDay: { sort: 'firstDay', direction: 'ASC' },
  '-firstDay': { sort: 'firstDay', direction: 'DESC' },
} as const;

export class ListBookingsDto extends ListDto {
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
}

export class BookingTotalsDto {
  @DayField({ description: 'Bookings that begin on this day or later.', example: '2027-01-31' })
  since: string;

  @DayField({ description: 'Bookings that begin before this day.', example: '2027-03-01' })
  before: string;
}

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
    arrivesAt: arrivesAtMs === null ? null : new Date(arrivesAtMs).toISOString(),
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
