/* eslint-disable @typescript-eslint/no-unused-vars -- only the declarations of these handlers matter */
import {
  Body,
  Controller,
  createParamDecorator,
  Headers,
  Param,
  Post,
  Query,
  RawBody,
  Req,
  type Type,
  UploadedFile,
  UploadedFiles,
} from '@nestjs/common';
import { Idempotent } from '@animal-store/idempotency';
import type { ErrorClass } from '@animal-store/kernel';
import { parametersOf } from '@animal-store/kernel/http';
import { IfMatch } from '../responses/conditions/if-match.js';
import {
  BODY_ERRORS,
  InvalidParameter,
  RequestTimeout,
  UnexpectedBody,
  UnknownParameter,
} from '../responses/request.errors.js';
import { BytesBody, SendsBytes } from './body/bytes-body.js';
import { inputErrors, inputOf, refusedInputs } from './handler-input.js';

const PHOTO = { types: ['image/png'] as [string], maxBytes: 10 };
const Anything = createParamDecorator(() => null);

@Controller()
class PetsController {
  @Post() nothing() {}
  @Post() json(@Body() _pet: object) {}
  @Post() bytes(@BytesBody(PHOTO) _photo: BytesBody) {}
  @Post() raw(@RawBody() _bytes: Buffer) {}
  @Post() request(@Req() _request: object) {}
  @Post() file(@UploadedFile() _file: object) {}
  @Post() files(@UploadedFiles() _files: object) {}
  @Post() form(@Body() _fields: object, @UploadedFile() _file: object) {}
  @Post() forms(@Body() _fields: object, @UploadedFiles() _files: object) {}
  @Post() anything(@Anything() _of: unknown) {}
  @Post() headers(@Headers() _headers: object) {}
  @Post() current(@IfMatch((pet: object) => pet) _isCurrent: unknown) {}
  @Post() absent(@IfMatch((pet: object) => pet, { ifNoneMatch: true }) _isCurrent: unknown) {}
  @Post() @Idempotent() repeated() {}
  @Post() @SendsBytes() sends() {}
  @Post() find(@Param('id') _id: string, @Query('page') _page: string, @Query('size') _size: string) {}
  @Post() findBy(@Query() _query: object, @Query('page') _page: string) {}
  @Post() findAll(@Query('page') _page: string, @Req() _request: object) {}
}

type Name = keyof PetsController;

function inputFor(name: Name, { path = '/v1/pets', method = 'POST' } = {}) {
  const handler = PetsController.prototype[name];
  return inputOf({ controller: PetsController as Type, name, handler, path, method });
}

const CONDITIONS = ['if-match', 'if-none-match'];
const ALL = [...CONDITIONS, 'idempotency-key'];

describe('What a handler reads', () => {
  it.each<[Name, unknown, unknown]>([
    ['nothing', 'refused', null],
    ['json', 'json', 'json'],
    ['bytes', PHOTO, PHOTO],
    ['raw', 'bytes', 'bytes'],
    ['request', 'offered', 'offered'],
    ['file', 'offered', 'offered'],
    ['files', 'offered', 'offered'],
    ['form', 'offered', 'offered'],
    ['forms', 'offered', 'offered'],
    ['anything', 'offered', 'offered'],
    ['current', 'refused', null],
  ])('of a body: %s in an operation %O, elsewhere %O', (name, body, elsewhere) => {
    expect(inputFor(name).body).toEqual(body);
    expect(inputFor(name, { path: '/health' }).body).toEqual(elsewhere);
  });

  it.each<[Name, unknown]>([
    ['nothing', []],
    ['find', ['page', 'size']],
    ['findBy', null],
    ['findAll', null],
  ])('of a query: %s in an operation %O', (name, query) => {
    expect(inputFor(name).query).toEqual(query);
    expect(inputFor(name, { path: '/health' }).query).toBeNull();
  });

  it.each<[string, Name, string[]]>([
    ['POST', 'nothing', ALL],
    ['DELETE', 'json', ALL],
    ['PUT', 'nothing', [...ALL, 'content-range']],
    ['PUT', 'bytes', [...ALL, 'content-range']],
    ['POST', 'current', ['if-none-match', 'idempotency-key']],
    ['POST', 'absent', ['idempotency-key']],
    ['POST', 'repeated', CONDITIONS],
    ['POST', 'request', []],
    ['POST', 'headers', []],
    ['POST', 'anything', []],
    ['GET', 'nothing', []],
    ['HEAD', 'nothing', []],
    ['OPTIONS', 'nothing', []],
    ['ALL', 'nothing', []],
  ])('of headers: %s of %s refuses %O', (method, name, refused) => {
    expect(inputFor(name, { method }).refusedHeaders).toEqual(refused);
  });

  it('says whether it sends bytes', () => {
    expect([inputFor('sends').sendsBytes, inputFor('nothing').sendsBytes]).toEqual([true, false]);
  });

  const BODY_IS_REFUSED = [UnexpectedBody, RequestTimeout];

  it.each<[Name, ErrorClass[], ErrorClass[]]>([
    ['nothing', [], [UnknownParameter, ...BODY_IS_REFUSED]],
    ['find', [InvalidParameter], BODY_IS_REFUSED],
    ['request', [], []],
    ['raw', [], [UnknownParameter]],
    ['json', [...BODY_ERRORS], [UnknownParameter]],
  ])('is in the errors of %s, as is what it refuses', (name, read, refused) => {
    const parameters = parametersOf(PetsController as Type, name);
    expect(inputErrors(parameters)).toEqual(read);
    expect(refusedInputs(parameters)).toEqual(refused);
  });
});
