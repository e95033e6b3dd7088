import { ApiProperty, ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { IsOptional } from 'class-validator';
import { InstantField } from '@animal-store/openapi';
import { NewBookingDto } from './new-booking.dto.js';

@ApiSchema({
  name: 'BookingChange',
  description: 'What changes of a booking. A field that is left out stays.',
})
export class ChangeBookingDto extends PartialType(
  OmitType(NewBookingDto, ['petId', 'firstDay', 'lastDay', 'arrivesAt'] as const),
  { skipNullProperties: false },
) {
  @IsOptional()
  @ApiProperty({ nullable: true, required: false })
  @InstantField({ description: 'When the animal arrives. Null removes it.', example: '2027-01-31T09:30:00Z' })
  arrivesAt?: string | null;
}
