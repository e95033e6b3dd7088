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
