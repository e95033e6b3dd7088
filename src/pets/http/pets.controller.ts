import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { RequireScope } from '@animal-store/api-keys';
import { Deprecated } from '@animal-store/deprecation/swagger';
import { IdPipe, requestedList, showCreated, showPage } from '@animal-store/web';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { int64Id, Operation, Tag } from '@animal-store/openapi';
import { CreatePet } from '../application/create-pet.use-case.js';
import { GetPet } from '../application/get-pet.use-case.js';
import { ListPets } from '../application/list-pets.use-case.js';
import { PetNotFound } from '../domain/pet.errors.js';
import { AnimalResponse, toAnimal } from './animal.response.js';
import { ListPetsDto } from './list-pets.dto.js';
import { NewAnimalDto } from './new-animal.dto.js';

const PATH = '/v1/pets';

@Tag('Pets', 'The animals of the store.')
@Controller({ path: 'pets', version: '1' })
export class PetsController {
  constructor(
    private readonly list: ListPets,
    private readonly create: CreatePet,
    private readonly get: GetPet,
  ) {}

  @Get()
  @RequireScope('pets:read')
  @Operation({
    summary: 'List animals',
    description: 'Animals in ascending order of id. The `Link` header has the URL of the next page.',
    response: { page: AnimalResponse },
  })
  async listPets(
    @Query() query: ListPetsDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly AnimalResponse[]> {
    const list = requestedList(PATH, query);
    const page = await this.list.execute(list.filters, list.page);
    return showPage(response, page, list, toAnimal);
  }

  @Post()
  @RequireScope('pets:write')
  @Operation({
    summary: 'Add an animal',
    description:
      'Without a `status` the animal is `available`. Unknown fields are refused. The operation that `Location` names is deprecated, so store the animal of the response.',
    response: { created: AnimalResponse },
  })
  @Idempotent()
  async createPet(
    @Body() newAnimal: NewAnimalDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<AnimalResponse> {
    return showCreated(response, PATH, toAnimal(await this.create.execute(newAnimal)));
  }

  @Get(':petId')
  @RequireScope('pets:read')
  @Deprecated({
    since: '2026-11-20',
    sunset: '2030-12-05',
    successor: PATH,
    documentation: '/docs/deprecations',
  })
  @Operation({
    summary: 'Get an animal',
    description:
      'Use `GET /pets` with a `status` filter instead. No filter accepts an id: read the pages, which ascend by `id`, until the animal appears, with its status as filter if you know it.',
    response: { item: AnimalResponse },
    path: { petId: int64Id('The identifier of the animal.') },
  })
  async getPet(@Param('petId', new IdPipe(PetNotFound)) petId: bigint): Promise<AnimalResponse> {
    return toAnimal(await this.get.execute(petId));
  }
}
