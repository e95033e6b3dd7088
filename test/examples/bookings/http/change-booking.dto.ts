import { ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
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
  @InstantField({ optional: true, nullable: true, description: 'When the animal arrives. Null removes it.' })
  arrivesAt?: string | null;
}
