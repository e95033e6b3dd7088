import { ApiProperty, ApiSchema } from '@nestjs/swagger';
import { EnumField, Int64Field } from '@animal-store/openapi';
import { PHOTO_TYPES, type PhotoCount, type PhotoType } from '../domain/photo.js';

@ApiSchema({ name: 'PhotoCount', description: 'The photos of one type.' })
export class PhotoCountResponse {
  @EnumField(PHOTO_TYPES, { name: 'PhotoType', example: 'image/png' })
  mediaType: PhotoType;

  @Int64Field({ minimum: 0n, description: 'How many there are.', example: 2 })
  photos: bigint;
}

@ApiSchema({ name: 'PhotoCounts', description: 'How many photos there are, by type.' })
export class PhotoCountsResponse {
  @ApiProperty({ type: [PhotoCountResponse], maxItems: PHOTO_TYPES.length })
  types: PhotoCountResponse[];
}

export function toPhotoCounts(counts: readonly PhotoCount[]): PhotoCountsResponse {
  return { types: [...counts] };
}
