import { Body, Controller, Get, Param, ParseIntPipe, Post, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiCreatedResponse, ApiOkResponse } from '@nestjs/swagger';
import { CreateKennelDto } from './create-kennel.dto.js';
import { Kennel } from './kennel.entity.js';
import { KennelsService } from './kennels.service.js';
import { ListKennelsDto } from './list-kennels.dto.js';
import { TotalInterceptor } from './total.interceptor.js';

@Controller('kennels')
export class KennelsController {
  constructor(private readonly service: KennelsService) {}

  @Get()
  @UseInterceptors(TotalInterceptor)
  @ApiOkResponse({ type: [Kennel], headers: { 'X-Total': { schema: { type: 'integer' } } } })
  findAll(@Query() filter: ListKennelsDto): Promise<Kennel[]> {
    return this.service.findAll(filter);
  }

  @Post()
  @ApiCreatedResponse({ type: Kennel })
  @ApiConflictResponse({ description: 'The name is taken.' })
  create(@Body() kennel: CreateKennelDto): Promise<Kennel> {
    return this.service.create(kennel);
  }

  @Post(':id/merge/:into')
  @ApiCreatedResponse({ type: Kennel })
  merge(@Param('id', ParseIntPipe) id: number, @Param('into', ParseIntPipe) into: number): Promise<Kennel> {
    return this.service.merge(id, into);
  }
}
