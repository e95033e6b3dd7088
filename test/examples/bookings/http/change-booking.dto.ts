import { ApiSchema, OmitType, PartialType } from '@nestjs/swagger';
import { NewBookingDto } from './new-booking.dto.js';

@ApiSchema({
  name: 'BookingChange',
  description: 'What changes of a booking. A field that is left out stays.',
})
export class ChangeBookingDto extends PartialType(
  OmitType(NewBookingDto, ['petId', 'firstDay', 'lastDay'] as const),
  { skipNullProperties: false },
) {}
