import { DEFAULT_LIMIT, PageCursor, PageLimit, StatusFilter } from '../../platform/http/page-query.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';

export class ListPetsDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @StatusFilter(PET_STATUSES, 'PetStatus', 'Only animals with this availability.')
  status?: PetStatus;

  @PageCursor()
  cursor?: string;
}
