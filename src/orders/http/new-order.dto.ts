import { ApiSchema } from '@nestjs/swagger';
import { Int64Field } from '@animal-store/openapi';

@ApiSchema({ name: 'NewOrder', description: 'An order to place. The service sets its id.' })
export class NewOrderDto {
  @Int64Field({ description: 'The animal to order. It must be available.', example: 1 })
  petId: bigint;
}
