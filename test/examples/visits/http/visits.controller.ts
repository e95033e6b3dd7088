import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { RequireScope } from '@animal-store/api-keys';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation, Tag } from '@animal-store/openapi';
import { IdPipe, ListDto, requestedList, showPage } from '@animal-store/web';
import { CreateVisit } from '../application/create-visit.use-case.js';
import { GetVisit } from '../application/get-visit.use-case.js';
import { VisitNotFound } from '../domain/visit.errors.js';
import { VisitRepository } from '../domain/visit.repository.js';
import { NewVisitDto } from './new-visit.dto.js';
import { toVisitResponse, VisitResponse } from './visit.response.js';

const PATH = '/v1/visits';

@Tag('Visits', 'The visits of the store.')
@Controller({ path: 'visits', version: '1' })
export class VisitsController {
  constructor(
    private readonly visits: VisitRepository,
    private readonly create: CreateVisit,
    private readonly get: GetVisit,
  ) {}

  @Get()
  @RequireScope('visits:read')
  @Operation({
    summary: 'List visits',
    description: 'Visits in ascending order of id. The `Link` header has the URL of the next page.',
    response: { page: VisitResponse },
  })
  async listVisits(
    @Query() query: ListDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly VisitResponse[]> {
    const list = requestedList(PATH, query);
    return showPage(response, await this.visits.list(list.page), list, toVisitResponse);
  }

  @Post()
  @RequireScope('visits:write')
  @Operation({
    summary: 'Add a visit',
    description: 'Unknown fields are refused.',
    response: { created: VisitResponse },
  })
  @Idempotent()
  async createVisit(
    @Body() newVisit: NewVisitDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<VisitResponse> {
    const visit = await this.create.execute(newVisit);
    response.setHeader('Location', `${PATH}/${visit.id}`);
    return toVisitResponse(visit);
  }

  @Get(':visitId')
  @RequireScope('visits:read')
  @Operation({
    summary: 'Get a visit',
    description: 'The visit with this id.',
    response: { item: VisitResponse },
  })
  async getVisit(@Param('visitId', new IdPipe(VisitNotFound)) visitId: bigint): Promise<VisitResponse> {
    return toVisitResponse(await this.get.execute(visitId));
  }
}
