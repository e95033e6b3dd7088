/* eslint-disable @typescript-eslint/no-unused-vars -- only the declarations of these handlers matter */
import { Body, Controller, Param, ParseArrayPipe, Post, Query, type Type, UsePipes } from '@nestjs/common';
import { Type as NestedType } from 'class-transformer';
import { IsOptional, IsString, ValidateIf, ValidateNested } from 'class-validator';
import { z } from 'zod';
import { undocumentedInputs } from './declared-inputs.js';
import { Follows } from './rules.js';
import { AsSent } from './request-validation.pipe.js';

interface Form {
  name: string;
}

class CollarDto {
  @IsString()
  color: string;
}

class PetDto {
  @IsOptional()
  @ValidateNested()
  @NestedType(() => CollarDto)
  collar?: CollarDto;

  @IsString({ each: true })
  names: string[];
}

class BareDto {
  @IsString()
  name: string;

  color: string;
}

class ChangeDto {
  @ValidateIf((_, value) => value !== null)
  @Follows('isKind', () => null)
  kind: string | null;
}

/** As `createZodDto` of nestjs-zod makes it. */
class SchemaDto {
  static readonly isZodDto = true;
}

@Controller()
class PetsController {
  @Post() documented(@Body() _pet: PetDto, @Param('id') _id: string, @Query('page') _page?: number) {}
  @Post() change(@Body() _pet: ChangeDto) {}
  @Post() sent(@Body(AsSent) _pet: unknown) {}
  @Post() schema(@Body({ schema: z.object({}) }) _pet: unknown) {}
  @Post() several(@Body(new ParseArrayPipe({ items: CollarDto })) _pets: CollarDto[]) {}
  @Post() @UsePipes(AsSent) used(@Body() _pet: unknown) {}
  @Post() form(@Body() _form: Form) {}
  @Post() field(@Body('form') _form: Form) {}
  @Post() query(@Query() _query: Record<string, string>) {}
  @Post() zod(@Body() _pet: SchemaDto) {}
  @Post() bigint(@Param('id') _id: bigint) {}
  @Post() bare(@Body() _pet: BareDto) {}
  @Post() find(@Query() _pet: ChangeDto) {}
}

describe('The check of inputs at start', () => {
  const without = (place: string) =>
    `${place} has no class with rules, so nothing validates it: declare one, imported without "type", or pass a schema or a pipe. AsSent accepts it as it is.`;

  it.each<[keyof PetsController, ...string[]]>([
    ['documented'],
    ['change'],
    ['sent'],
    ['schema'],
    ['several'],
    ['used'],
    ['form', without('@Body() of PetsController.form')],
    ['field', without("@Body('form') of PetsController.field")],
    ['query', without('@Query() of PetsController.query')],
    ['zod', without('@Body() of PetsController.zod')],
    ['bigint', without("@Param('id') of PetsController.bigint")],
    ['bare', 'BareDto.color has no rule, so every value of it is refused: add a decorator.'],
    ['find', 'ChangeDto.kind is nullable, but a query or a path cannot contain null: make it optional.'],
  ])('says of the handler %s: %s', (name, ...problems) => {
    const route = { controller: PetsController as Type, name, handler: PetsController.prototype[name] };
    expect(undocumentedInputs([route, route])).toEqual(problems);
  });
});
