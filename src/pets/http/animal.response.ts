import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { ApiInt64 } from '@animal-store/openapi';
import type { Pet } from '../domain/pet.js';
import { PET_NAME } from '../domain/pet-name.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';

@ApiSchema({ name: 'Animal', description: 'An animal of the store.' })
export class AnimalResponse {
  @ApiInt64({ minimum: 1, description: 'The service sets it on creation.', example: 1 })
  id: bigint;

  @ApiProperty({ type: 'string', ...PET_NAME, example: 'Rex' })
  name: string;

  @ApiInt64({ description: 'The category the animal belongs to.', example: 7 })
  categoryId: bigint;

  @ApiProperty({ enum: PET_STATUSES, enumName: 'PetStatus', required: false, example: 'available' })
  status: PetStatus;
}

export function toAnimal({ id, name, categoryId, status }: Pet): AnimalResponse {
  return { id, name, categoryId, status };
}
