import { ApiSchema } from '@nestjs/swagger';
import { Int64Field, TextField } from '@animal-store/openapi';
import { type Visit, VISIT_NAME } from '../domain/visit.js';

@ApiSchema({ name: 'NewVisit', description: 'A visit to add. The service sets its id.' })
export class NewVisitDto {
  @TextField({ ...VISIT_NAME, example: 'Robin' })
  name: string;
}

@ApiSchema({ name: 'Visit', description: 'A visit of the store.' })
export class VisitResponse extends NewVisitDto {
  @Int64Field({ minimum: 1n, description: 'The service sets it on creation.', example: 1 })
  id: bigint;
}

export function toVisit({ id, name }: Visit): VisitResponse {
  return { id, name };
}
