import { ApiSchema } from '@nestjs/swagger';
import { EnumField, Int64Field, TextField } from '@animal-store/openapi';
import type { Pet } from '../domain/pet.js';
import { PET_NAME, PET_STATUSES, type PetStatus } from '../domain/pet.rules.js';

@ApiSchema({ name: 'Animal', description: 'An animal of the store.' })
export class AnimalResponse {
  @Int64Field({ minimum: 1n, description: 'The service sets it on creation.', example: 1 })
  id: bigint;

  @TextField({ ...PET_NAME, example: 'Rex' })
  name: string;

  @Int64Field({ description: 'The category the animal belongs to.', example: 7 })
  categoryId: bigint;

  @EnumField(PET_STATUSES, { name: 'PetStatus', optional: true, example: 'available' })
  status: PetStatus;
}

export function toAnimal({ id, name, categoryId, status }: Pet): AnimalResponse {
  return { id, name, categoryId, status };
}
