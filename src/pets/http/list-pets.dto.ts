import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '../../http/page-query.js';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';

export class ListPetsDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @IsOptional()
  @IsIn(PET_STATUSES, { message: `status must be one of ${PET_STATUSES.join(', ')}` })
  @ApiPropertyOptional({
    enum: PET_STATUSES,
    enumName: 'PetStatus',
    description: 'Only animals with this availability.',
  })
  status?: PetStatus;

  @PageCursor()
  cursor?: string;
}
