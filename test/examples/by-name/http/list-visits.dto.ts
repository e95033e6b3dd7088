import { TextField } from '@animal-store/openapi';
import { ListDto } from '@animal-store/web';
import { VISIT_NAME } from '../../visits/domain/visit.js';

export class ListVisitsDto extends ListDto {
  @TextField({ ...VISIT_NAME, optional: true, description: 'Only visits with this name.', example: 'Robin' })
  name?: string;

  @TextField({ ...VISIT_NAME, optional: true, description: 'Only visits whose name begins so.' })
  prefix?: string;
}
