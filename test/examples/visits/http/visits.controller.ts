import type { ServerResponse } from 'node:http';
import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { RequireScope } from '@animal-store/api-keys';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation, Tag } from '@animal-store/openapi';
import { IdPipe, ListDto, requestedList, showCreated, showPage } from '@animal-store/web';
import { VisitsService } from '../application/visits.service.js';
import { VisitNotFound } from '../domain/visit.errors.js';
import { VisitRepository } from '../domain/visit.repository.js';
import { NewVisitDto, toVisit, VisitResponse } from './visit.dto.js';

const PATH = '/v1/visits';

@Tag('Visits', 'The visits of the store.')
@Controller({ path: 'visits', version: '1' })
@RequireScope('visits:read')
export class VisitsController {
  constructor(
    private readonly visits: VisitsService,
    private readonly repository: VisitRepository,
  ) {}

  @Get()
  @Operation({ summary: 'List visits', response: { page: VisitResponse } })
  async listVisits(
    @Query() query: ListDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<readonly VisitResponse[]> {
    const list = requestedList(PATH, query);
    return showPage(response, await this.repository.list(list.filters, list.page), list, toVisit);
  }

  @Post()
  @RequireScope('visits:write')
  @Operation({ summary: 'Add a visit', response: { created: VisitResponse } })
  @Idempotent()
  async createVisit(
    @Body() newVisit: NewVisitDto,
    @Res({ passthrough: true }) response: ServerResponse,
  ): Promise<VisitResponse> {
    return showCreated(response, PATH, toVisit(await this.visits.create(newVisit)));
  }

  @Get(':visitId')
  @Operation({ summary: 'Get a visit', response: { item: VisitResponse } })
  async getVisit(@Param('visitId', new IdPipe(VisitNotFound)) visitId: bigint): Promise<VisitResponse> {
    return toVisit(await this.visits.get(visitId));
  }
}
