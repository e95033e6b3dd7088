import {
  Body,
  Controller,
  Delete,
  Get,
  Headers,
  HttpCode,
  Module,
  Param,
  ParseIntPipe,
  Post,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { ApiHeader, ApiProperty, ApiSchema } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsArray, IsObject, IsString, ValidateNested } from 'class-validator';
import { Public } from '@animal-store/api-keys';
import { DayField, DecimalField, int64Id, Operation, Tag } from '@animal-store/openapi';
import { TestApp } from '../support/test-app.js';

@ApiSchema({ name: 'Berth' })
class BerthDto {
  @IsString()
  @ApiProperty()
  pier: string;
}

@ApiSchema({ name: 'NewBoat' })
class NewBoatDto {
  @IsObject()
  @ValidateNested()
  @Type(() => BerthDto)
  @ApiProperty()
  berth: BerthDto;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => BerthDto)
  @ApiProperty({ type: [BerthDto] })
  formerBerths: BerthDto[];

  @DayField({ optional: true })
  launchedOn?: string;

  @DecimalField({ whole: 3, places: 2, optional: true })
  draught?: string;
}

@Tag('Boats', 'What floats.')
@Controller({ path: 'boats', version: '1' })
class BoatsController {
  @Get()
  findAll(): string[] {
    return [];
  }

  @Post()
  @HttpCode(202)
  @Operation({ summary: 'Build', description: 'Builds a boat.', response: { accepted: null } })
  buildBoat(@Body() boat: NewBoatDto): void {
    void boat;
  }

  @Delete(':boatId/decks/:deck')
  @HttpCode(204)
  @Operation({
    summary: 'Remove a deck',
    description: 'Removes a deck.',
    response: 'nothing',
    path: {
      boatId: int64Id('The identifier of the boat.'),
      deck: { description: 'Its number.', schema: { type: 'integer', minimum: 1, maximum: 9 } },
    },
  })
  removeDeck(@Param('boatId') boatId: string, @Param('deck', ParseIntPipe) deck: number): void {
    void boatId;
    void deck;
  }

  @Get('harbour')
  @Public()
  @Operation({ summary: 'The harbour', description: 'Anyone may call it.', response: { item: NewBoatDto } })
  getHarbour(): object {
    return {};
  }
}

@Controller({ path: 'tides', version: VERSION_NEUTRAL })
class TidesController {
  @Get()
  @Public()
  @Operation({ summary: 'The tide', description: 'Of no version.', response: { item: BerthDto } })
  @ApiHeader({ name: 'X-Moon', description: 'Its phase.', schema: { type: 'string' } })
  getTide(@Headers('x-moon') moon?: string): object {
    return { pier: moon };
  }
}

@Module({ controllers: [BoatsController, TidesController] })
class BoatsModule {}

interface Described {
  operationId: string;
  requestBody: { content: { 'application/json': { example: object } } };
  parameters: { in: string; name: string; schema: object }[];
  responses: Record<string, { content?: object }>;
  security?: unknown[];
}

describe('The OpenAPI document with an additional module', () => {
  let store: TestApp;
  let document: {
    tags: object[];
    paths: Record<string, Record<string, Described>>;
    components: { schemas: Record<string, object> };
  };

  beforeAll(async () => {
    store = await TestApp.startWith(BoatsModule);
    document = JSON.parse((await store.send('GET', '/openapi.json', null).expect(200)).text);
  });

  afterAll(() => store.stop());

  function successesOf({ responses }: Described): string[] {
    return Object.keys(responses).filter((status) => status < '400');
  }

  it('has its tag, with a description', () => {
    expect(document.tags).toContainEqual({ name: 'Boats', description: 'What floats.' });
  });

  it('describes an operation by its route when nothing else does', () => {
    const { responses, ...operation } = document.paths['/boats']!['get']!;
    expect(operation).toEqual({
      operationId: 'boatsFindAll',
      summary: 'Find all',
      description: 'Needs a key without scopes. Guide: [Getting started](/docs/guides/getting-started).',
      parameters: [],
      security: [{ apiKey: [] }],
      tags: ['Boats'],
    });
    expect(Object.keys(responses)).toEqual(['200', '400', '401', '403', '408', '429', '500', '503']);
  });

  it('has an example of each field that has none', () => {
    expect(document.paths['/boats']!['post']!.requestBody.content['application/json'].example).toEqual({
      berth: { pier: 'x' },
      formerBerths: [{ pier: 'x' }],
      launchedOn: '2027-01-31',
      draught: '1.00',
    });
  });

  it('documents a 202 without a body', () => {
    const operation = document.paths['/boats']!['post']!;
    expect(successesOf(operation)).toEqual(['202']);
    expect(operation.responses['202']).not.toHaveProperty('content');
  });

  it('documents a 204 and every parameter of the path', () => {
    const operation = document.paths['/boats/{boatId}/decks/{deck}']!['delete']!;
    expect(successesOf(operation)).toEqual(['204']);
    expect(operation.responses['204']).not.toHaveProperty('content');
    expect(operation.parameters).toMatchObject([
      { in: 'path', name: 'boatId', schema: { type: 'integer', format: 'int64' } },
      { in: 'path', name: 'deck', schema: { type: 'integer', minimum: 1, maximum: 9 } },
    ]);
  });

  it('documents an operation of no version at the URL where it is served', async () => {
    expect(document.paths['/tides']).toMatchObject({ get: {}, servers: [{ url: '/' }] });
    await store.send('GET', '/tides', null).expect(200);
  });

  it('documents a header that the handler reads once, as it is described', () => {
    const { parameters } = document.paths['/tides']!['get']!;
    expect(parameters.filter(({ name }) => name.toLowerCase() === 'x-moon')).toMatchObject([
      { name: 'X-Moon', in: 'header', description: 'Its phase.' },
    ]);
  });

  it('documents that a public operation needs no key and has no daily limit', () => {
    const operation = document.paths['/boats/harbour']!['get']!;
    expect(operation.security).toEqual([]);
    expect(Object.keys(operation.responses)).not.toContain('401');
    expect(JSON.stringify(operation.responses['429'])).not.toContain('daily_quota_exceeded');
  });

  it('documents that unknown fields are refused at every depth of a body', () => {
    expect(document.components.schemas).toMatchObject({
      NewBoat: { additionalProperties: false },
      Berth: { additionalProperties: false },
    });
  });
});
