import type { ServerResponse } from 'node:http';
import { Controller, Get, Query, Res } from '@nestjs/common';
import { RequireScope } from '@animal-store/api-keys';
import { Operation, Tag } from '@animal-store/openapi';
import { requestedList, showPage } from '@animal-store/web';
import { ListPets } from '../../../../src/pets/application/list-pets.use-case.js';
import { ListPetsDto } from '../../../../src/pets/http/list-pets.dto.js';
import { AnimalV2Response, toAnimalV2 } from './animal-v2.response.js';

@Tag('Pets', 'The animals of the store.')
@Controller({ path: 'pets', version: '2' })
export class PetsV2Controller {
  constructor(private readonly list: ListPets) {}

  @Get()
  @RequireScope('pets:read')
  @Operation({
    summary: 'List animals',
    description: 'Animals in ascending order of id. The `Link` header has the URL of the next page.',
    response: { page: AnimalV2Response },
  })
  async listPets(
    @Query() query: ListPetsDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly AnimalV2Response[]> {
    const list = requestedList('/v2/pets', query);
    const page = await this.list.execute({ status: query.status }, list.page);
    return showPage(response, page, list, toAnimalV2);
  }
}
