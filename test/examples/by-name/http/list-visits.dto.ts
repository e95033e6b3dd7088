import { TextField } from '@animal-store/openapi';
import { DEFAULT_LIMIT, PageCursor, PageLimit } from '@animal-store/web';
import { VISIT_NAME } from '../../visits/domain/visit.js';

export class ListVisitsDto {
  @PageLimit()
  limit: number = DEFAULT_LIMIT;

  @TextField({ ...VISIT_NAME, optional: true, description: 'Only visits with this name.', example: 'Robin' })
  name?: string;

  @TextField({ ...VISIT_NAME, optional: true, description: 'Only visits whose name begins so.' })
  prefix?: string;

  @PageCursor(VISIT_NAME.maxLength)
  cursor?: string;
}
