import { ApiProperty, ApiSchema } from '@nestjs/swagger';

const CODE = {
  type: 'string',
  maxLength: 64,
  pattern: '^[A-Za-z][A-Za-z0-9_]*$',
  description: 'Machine-readable error code',
  example: 'route_not_found',
} as const;

/** The body of every response of 400 and above, named `Error` in the OpenAPI document. */
@ApiSchema({ name: 'Error', description: 'What went wrong.' })
export class ErrorResponse {
  @ApiProperty(CODE)
  code: string;

  @ApiProperty({
    type: 'string',
    maxLength: 4096,
    pattern: '\\S',
    description: 'Human-readable description',
    example: 'The path does not exist.',
  })
  message: string;

  @ApiProperty({
    type: 'integer',
    format: 'int32',
    minimum: 400,
    maximum: 599,
    description: 'The HTTP status code',
    example: 404,
  })
  status: number;
}

/** What is wrong with one field of a request. */
@ApiSchema({ name: 'FieldProblem' })
export class FieldProblem {
  @ApiProperty({ type: 'string', maxLength: 4096, example: 'name must be a string' })
  detail: string;

  @ApiProperty({
    type: 'string',
    maxLength: 4096,
    required: false,
    description: 'A JSON pointer into the request; absent when it is not known',
    example: '#/name',
  })
  pointer?: string;
}

/** The body of every response of 400 and above with `shape: 'problem'`, which is `application/problem+json`. */
@ApiSchema({ name: 'Problem', description: 'What went wrong (RFC 9457).' })
export class ProblemResponse {
  @ApiProperty({ type: 'string', maxLength: 2048, format: 'uri-reference', example: 'about:blank' })
  type: string;

  @ApiProperty({ type: 'string', maxLength: 4096, example: 'Not Found' })
  title: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: 400, maximum: 599, example: 404 })
  status: number;

  @ApiProperty({ type: 'string', maxLength: 4096, example: 'The path does not exist.' })
  detail: string;

  @ApiProperty(CODE)
  code: string;

  @ApiProperty({ type: [FieldProblem], maxItems: 20, required: false })
  errors?: FieldProblem[];
}
