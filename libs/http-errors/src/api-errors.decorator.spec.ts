import { Controller, Get, INestApplication, Post } from '@nestjs/common';
import { ApiResponse, DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { Test } from '@nestjs/testing';
import { ApiErrors } from './index.js';

@Controller('ships')
class ShipsController {
  @Get()
  @ApiErrors(404)
  list(): void {}

  @Post()
  @ApiErrors(400, 429)
  @ApiResponse({ status: 429, headers: { 'Retry-After': { schema: { type: 'integer' } } } })
  launch(): void {}
}

describe('ApiErrors', () => {
  let app: INestApplication;
  let document: OpenAPIObject;

  beforeAll(async () => {
    const testing = await Test.createTestingModule({ controllers: [ShipsController] }).compile();
    app = testing.createNestApplication({ logger: false });
    document = SwaggerModule.createDocument(app, new DocumentBuilder().build());
  });

  afterAll(() => app.close());

  it('documents an error with the schema named Error', () => {
    expect(document.paths['/ships']!.get!.responses['404']).toEqual({
      description: 'The path does not exist.',
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    });
    expect(document.components!.schemas!['Error']).toEqual({
      type: 'object',
      properties: {
        code: { type: 'string', description: 'Machine-readable error code', example: 'route_not_found' },
        message: {
          type: 'string',
          description: 'Human-readable description',
          example: 'The path does not exist.',
        },
        status: { type: 'integer', description: 'The HTTP status code', example: 404 },
      },
      required: ['code', 'message', 'status'],
    });
  });

  it('documents several, and leaves room for headers', () => {
    const { responses } = document.paths['/ships']!.post!;
    expect(responses['400']).toMatchObject({ description: 'The request is malformed.' });
    expect(responses['429']).toMatchObject({
      description: 'Too many requests. Try again later.',
      headers: { 'Retry-After': { schema: { type: 'integer' } } },
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    });
  });
});
