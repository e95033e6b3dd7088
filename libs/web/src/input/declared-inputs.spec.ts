/* eslint-disable @typescript-eslint/no-unused-vars -- only the declarations of these handlers matter */
import {
  Body,
  Controller,
  DefaultValuePipe,
  Param,
  ParseArrayPipe,
  Post,
  Query,
  type Type,
} from '@nestjs/common';
import { Type as NestedType } from 'class-transformer';
import { Allow, IsArray, IsIn, IsInt, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { requireRules } from './declared-inputs.js';
import { AsSent, RequestValidationPipe } from './request-validation.pipe.js';
import { IsInt64, NullableField, OptionalField } from './validation.js';

class CollarDto {
  @IsInt()
  size: number;
}

class ToyDto {
  @IsArray()
  @IsString({ each: true })
  names: string[];
}

interface Form {
  name: string;
}

class BareDto {
  @IsString()
  name: string;

  color: string;
}

class ListDto {
  @IsArray()
  names: string[];
}

class CompilerDto {
  @IsObject()
  form: Form;
}

class UntypedDto {
  @IsObject()
  @ValidateNested()
  collar: CollarDto;
}

class MissingDto {
  @IsOptional()
  @ValidateNested()
  @NestedType(() => CollarDto)
  collar?: CollarDto;
}

class MissingListDto {
  @ValidateNested({ each: true })
  @NestedType(() => CollarDto)
  collars: CollarDto[];
}

class NestedBareDto {
  @IsObject()
  @ValidateNested()
  @NestedType(() => BareDto)
  bare: BareDto;
}

class SingleDto {
  @IsString({ each: true })
  names: string[];

  @IsObject()
  @ValidateNested()
  @NestedType(() => CollarDto)
  collar: CollarDto;
}

class ChangeDto {
  @OptionalField()
  @NullableField()
  @IsIn(['cat', 'dog'])
  kind?: 'cat' | 'dog' | null;

  @IsOptional()
  @IsString()
  color?: string;
}

class SoundDto {
  @IsObject()
  @ValidateNested()
  @NestedType(() => CollarDto)
  collar: CollarDto;

  @IsArray()
  @ValidateNested({ each: true })
  @NestedType(() => ToyDto)
  toys: ToyDto[];

  @IsIn(['cat', 'dog'])
  kind: 'cat' | 'dog';

  @Allow()
  labels: Record<string, unknown>;

  @IsInt64()
  id: bigint;
}

/** As `createZodDto` of nestjs-zod makes it. */
class SchemaDto {
  static readonly isZodDto = true;
}

@Controller()
class PetsController {
  @Post() schema(@Body() _pet: SchemaDto) {}
  @Post() schemaWithPipe(@Body(new DefaultValuePipe({})) _pet: SchemaDto) {}
  @Post() sound(@Body() _pet: SoundDto, @Param('id') _id: string, @Query('page') _page?: number) {}
  @Post() change(@Body() _pet: ChangeDto) {}
  @Post() find(@Query() _pet: ChangeDto) {}
  @Post() path(@Param() _pet: ChangeDto) {}
  @Post() sent(@Body(AsSent) _pet: unknown) {}
  @Post() several(@Body(new ParseArrayPipe({ items: CollarDto })) _pets: CollarDto[]) {}
  @Post() form(@Body() _form: Form) {}
  @Post() field(@Body('form') _form: Form) {}
  @Post() query(@Query() _query: Record<string, string>) {}
  @Post() text(@Body() _text: string) {}
  @Post() bigint(@Param('id') _id: bigint) {}
  @Post() bare(@Body() _pet: BareDto) {}
  @Post() list(@Body() _pet: ListDto) {}
  @Post() compiler(@Body() _pet: CompilerDto) {}
  @Post() untyped(@Body() _pet: UntypedDto) {}
  @Post() missing(@Body() _pet: MissingDto) {}
  @Post() missingList(@Body() _pet: MissingListDto) {}
  @Post() nestedBare(@Body() _pet: NestedBareDto) {}
  @Post() single(@Body() _pet: SingleDto) {}
}

function require(name: keyof PetsController): void {
  requireRules([{ controller: PetsController as Type, handler: PetsController.prototype[name] }]);
}

describe('The check of inputs at start', () => {
  it.each(['sound', 'change', 'sent', 'several', 'schemaWithPipe'] as const)(
    'accepts the handler %s',
    (name) => {
      expect(() => require(name)).not.toThrow();
    },
  );

  it('leaves a class with a schema to the pipe of its parameter, and refuses what no database stores', () => {
    const read = (sent: object) =>
      new RequestValidationPipe().transform(sent, { type: 'body', metatype: SchemaDto }) as unknown;

    expect(read({ name: 'Rex' })).toEqual({ name: 'Rex' });
    expect(() => read({ name: 'Re\0x' })).toThrow('name must not contain the character U+0000.');
  });

  it.each<[keyof PetsController, string]>([
    [
      'schema',
      '@Body() of PetsController.schema has a class of nestjs-zod, which nothing here validates: pass its pipe, ZodValidationPipe.',
    ],
    ['form', '@Body() of PetsController.form has no class, so nothing would validate it'],
    ['field', "@Body('form') of PetsController.field has no class"],
    ['query', '@Query() of PetsController.query has no class'],
    ['text', '@Body() of PetsController.text has no class'],
    ['bigint', "@Param('id') of PetsController.bigint has no class, so nothing would validate it"],
    ['bare', 'BareDto.color has no rule, so every value of it would be refused'],
    ['list', 'ListDto.names is a list whose items have no rule'],
    ['compiler', 'CompilerDto.form has a type that is known to the compiler only'],
    ['untyped', 'UntypedDto.collar has @ValidateNested() without @Type(() => …)'],
    [
      'missing',
      'MissingDto.collar has @ValidateNested(), which accepts a missing value and a list: add @IsObject().',
    ],
    [
      'missingList',
      'MissingListDto.collars has @ValidateNested(), which accepts a missing value and a list: add @IsArray().',
    ],
    ['nestedBare', 'BareDto.color has no rule'],
    ['find', 'ChangeDto.kind is nullable, but a query cannot contain null: make it optional instead.'],
    ['path', 'ChangeDto.kind is nullable, but a path cannot contain null'],
    ['single', 'SingleDto.names is a list, and its rules accept a single value: add @IsArray().'],
  ])('refuses the handler %s, and says what to do', (name, message) => {
    expect(() => require(name)).toThrow(message);
  });
});
