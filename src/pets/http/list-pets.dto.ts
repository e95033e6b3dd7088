import { EnumField } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import { PET_STATUSES, type PetStatus } from '../domain/pet.rules.js';

export class ListPetsDto extends ListDto {
  @EnumField(PET_STATUSES, {
    name: 'PetStatus',
    optional: true,
    description: 'Only animals with this availability.',
  })
  status?: PetStatus;
}
