import { ApiProperty, ApiSchema } from '@nestjs/swagger';

/** The body of every answer of 400 and above; named `Error` in the OpenAPI document. */
@ApiSchema({ name: 'Error' })
export class ErrorResponse {
  @ApiProperty({ description: 'Machine-readable error code', example: 'route_not_found' })
  code: string;

  @ApiProperty({ description: 'Human-readable description', example: 'The path does not exist.' })
  message: string;

  @ApiProperty({ type: 'integer', description: 'The HTTP status code', example: 404 })
  status: number;
}
