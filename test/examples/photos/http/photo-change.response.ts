import { ApiSchema } from '@nestjs/swagger';
import { EnumField } from '@animal-store/openapi';
import { PHOTO_CHANGE_KINDS, type PhotoChange, type PhotoChangeKind } from '../domain/photo-change.js';

@ApiSchema({ name: 'PhotoChange', description: 'What has happened to the photo of an animal.' })
export class PhotoChangeResponse {
  @EnumField(PHOTO_CHANGE_KINDS, { name: 'PhotoChangeKind', example: 'added' })
  kind: PhotoChangeKind;
}

export function toPhotoChange({ kind }: PhotoChange): PhotoChangeResponse {
  return { kind };
}
