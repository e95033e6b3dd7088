import { ApiSchema } from '@nestjs/swagger';
import { Int64Field, TextField } from '@animal-store/openapi';
import { type Visit, VISIT_NAME } from '../domain/visit.js';

@ApiSchema({ name: 'Visit', description: 'A visit of the store.' })
export class VisitResponse {
  @Int64Field({ minimum: 1n, description: 'The service sets it on creation.', example: 1 })
  id: bigint;

  @TextField({ ...VISIT_NAME, example: 'Robin' })
  name: string;
}

export function toVisitResponse({ id, name }: Visit): VisitResponse {
  return { id, name };
}
