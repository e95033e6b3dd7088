import { ApiSchema } from '@nestjs/swagger';
import { TextField } from '@animal-store/openapi';
import { VISIT_NAME } from '../domain/visit.js';

@ApiSchema({ name: 'NewVisit', description: 'A visit to add. The service sets its id.' })
export class NewVisitDto {
  @TextField({ ...VISIT_NAME, example: 'Robin' })
  name: string;
}
