import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsInt, Matches, Max, Min, ValidateNested } from 'class-validator';
import { DayField, DecimalField, EnumField, InstantField, Int64Field } from '@animal-store/openapi';
import { KENNELS, type Kennel } from '../domain/booking.js';

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

  @InstantField({ optional: true, description: 'When the animal arrives.', example: '2027-01-31T09:30:00Z' })
  arrivesAt?: string;

  @IsArray()
  @ArrayMaxSize(5)
  @ValidateNested({ each: true })
  @Type(() => MealDto)
  @ApiProperty({ type: [MealDto], maxItems: 5 })
  meals: MealDto[];
}
