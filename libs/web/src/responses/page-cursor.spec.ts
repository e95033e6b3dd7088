import { Controller, Get, Module, Query } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import fc from 'fast-check';
import { anyCharacter } from '@animal-store/kernel/testing';
import { encodeCursor, type ListAddress, PageCursor } from './list-query.js';

const MAX_INT64 = 2n ** 63n - 1n;
const NAME_CHARACTERS = 255;

class ListByNumberDto {
  @PageCursor()
  cursor?: string;
}

class ListByNameDto {
  @PageCursor(NAME_CHARACTERS)
  cursor?: string;
}

@Controller()
class HerdsController {
  @Get('by-number')
  byNumber(@Query() query: ListByNumberDto) {
    return query;
  }

  @Get('by-name')
  byName(@Query() query: ListByNameDto) {
    return query;
  }
}

@Module({ controllers: [HerdsController] })
class HerdsModule {}

describe('The longest cursor', () => {
  const longest: Record<string, number> = {};

  beforeAll(async () => {
    const app = await NestFactory.create(HerdsModule, { logger: false });
    const { paths } = SwaggerModule.createDocument(app, new DocumentBuilder().build());
    for (const [path, { get }] of Object.entries(paths)) {
      const [cursor] = get!.parameters as { schema: { maxLength: number } }[];
      longest[path] = cursor!.schema.maxLength;
    }
    await app.close();
  });

  const path = '/v1/herds';

  it.each<[string, ListAddress, bigint | undefined]>([
    ['ids', { path, filters: {} }, undefined],
    ['numbers', { path, filters: { sort: '-size' }, sortValue: 'int64' }, MAX_INT64],
  ])('of a list sorted by %s is no longer than documented', (_, list, value) => {
    const cursor = encodeCursor(list, { id: MAX_INT64, value });

    expect(cursor.length).toBeLessThanOrEqual(longest['/by-number']!);
  });

  it('of a list sorted by text is as long as documented, and no longer', () => {
    const list: ListAddress = { path, filters: { sort: 'name' }, sortValue: 'text' };
    const lengthFor = (value: string) => encodeCursor(list, { id: MAX_INT64, value }).length;

    expect(lengthFor('🦜'.repeat(NAME_CHARACTERS))).toBe(longest['/by-name']);
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: NAME_CHARACTERS }), (name) => {
        expect(lengthFor(name)).toBeLessThanOrEqual(longest['/by-name']!);
      }),
    );
  });
});
