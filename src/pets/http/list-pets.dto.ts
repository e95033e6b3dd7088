import { EnumField } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { PET_STATUSES, type PetStatus } from '../domain/pet.rules.js';

export class ListPetsDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @EnumField(PET_STATUSES, {
    name: 'PetStatus',
    optional: true,
    description: 'Only animals with this availability.',
  })
  status?: PetStatus;

  @PageCursor()
  cursor?: string;
}
