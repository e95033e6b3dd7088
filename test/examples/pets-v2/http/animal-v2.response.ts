import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, Int64Field, TextField } from '@animal-store/openapi';
import type { Pet } from '../../../../src/pets/domain/pet.js';
import { PET_NAME, PET_STATUSES, type PetStatus } from '../../../../src/pets/domain/pet.rules.js';

@ApiSchema({ name: 'Category', description: 'The category of an animal.' })
export class CategoryResponse {
  @Int64Field({ example: 7 })
  id: bigint;
}

@ApiSchema({ name: 'AnimalV2', description: 'An animal of the store.' })
export class AnimalV2Response {
  @Int64Field({ minimum: 1n, description: 'The service sets it on creation.', example: 1 })
  id: bigint;

  @TextField({ ...PET_NAME, example: 'Rex' })
  name: string;

  @ApiProperty({ type: CategoryResponse })
  category: CategoryResponse;

  @EnumField(PET_STATUSES, { name: 'PetStatus', example: 'available' })
  status: PetStatus;
}

export function toAnimalV2({ id, name, categoryId, status }: Pet): AnimalV2Response {
  return { id, name, category: { id: categoryId }, status };
}
