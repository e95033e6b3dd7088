import { ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '../../platform/http/int64.schema.js';
import { IsInt64 } from '../../platform/http/validation.js';

@ApiSchema({ name: 'NewOrder', description: 'An order to place. The service sets its id.' })
export class NewOrderDto {
  @IsInt64()
  @ApiInt64({ description: 'The animal to order. It must be available.', example: 1 })
  petId: bigint;
}
