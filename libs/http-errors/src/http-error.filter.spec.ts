import type { ServerResponse } from 'node:http';
import {
  BadRequestException,
  ConflictException,
  Controller,
  ForbiddenException,
  Get,
  GoneException,
  HttpException,
  INestApplication,
  Logger,
  Param,
  ParseIntPipe,
  Post,
  RequestTimeoutException,
  Res,
  ServiceUnavailableException,
  UseGuards,
} from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { type HttpError, HttpErrorFilter, httpErrorFrom, HttpErrorsModule, sendError } from './index.js';
import type { HttpErrorFilterOptions } from './http-error.filter.js';

class HarbourFull extends Error {}

let thrown: unknown;

@Controller('ships')
class ShipsController {
  @Get()
  list(@Res({ passthrough: true }) response: ServerResponse): void {
    response.setHeader('Cache-Control', 'public, max-age=60');
    if (response.req.headers['x-linked']) response.setHeader('Link', '</harbour>; rel="up"');
    throw thrown;
  }

  @Get('cut')
  cut(@Res() response: ServerResponse): void {
    response.writeHead(200, { 'Content-Length': '10' });
    response.write('half');
    throw thrown;
  }

  @Get('late')
  late(@Res() response: ServerResponse): void {
    response.end('whole');
    throw thrown;
  }

  @Get('mast/:height')
  mast(@Param('height', ParseIntPipe) height: number): number {
    return height;
  }

  @UseGuards({ canActivate: () => false })
  @Get('guarded')
  guarded(): void {}

  @Post()
  launch(): void {}
}

describe('HttpErrorFilter', () => {
  const unexpected = jest.fn();
  let app: INestApplication;

  beforeAll(async () => {
    const filter = new HttpErrorFilter({
      helpUrl: '/docs/errors',
      translate: (error) =>
        error instanceof HarbourFull || error instanceof GoneException
          ? {
              status: 503,
              code: 'harbour_full',
              message: 'Kein Liegeplatz für Schiffe.',
              headers: { 'Retry-After': '7' },
            }
          : null,
      onUnexpected: (error, { url }) => unexpected(error, url),
    });
    const testing = await Test.createTestingModule({
      controllers: [ShipsController],
      providers: [{ provide: APP_FILTER, useValue: filter }],
    }).compile();
    app = testing.createNestApplication({ logger: false });
    await app.init();
  });

  beforeEach(() => unexpected.mockReset());

  afterAll(() => app.close());

  const send = (path: string) => request(app.getHttpServer()).get(path);

  const responseTo = (error: unknown, path = '/ships'): request.Test => {
    thrown = error;
    return send(path);
  };

  it.each([
    [400, 'bad_request'],
    [401, 'unauthorized'],
    [402, 'payment_required'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [405, 'method_not_allowed'],
    [406, 'not_acceptable'],
    [408, 'request_timeout'],
    [409, 'conflict'],
    [412, 'precondition_failed'],
    [413, 'payload_too_large'],
    [415, 'unsupported_media_type'],
    [418, 'im_a_teapot'],
    [422, 'unprocessable'],
    [424, 'failed_dependency'],
    [429, 'rate_limit_exceeded'],
    [431, 'headers_too_large'],
    [499, 'bad_request'],
  ])('sends the message of an HttpException of status %i, with code %s', async (status, code) => {
    const error = new HttpException('Berth 3 is taken', status);
    await responseTo(error).expect(status, { code, message: 'Berth 3 is taken', status });
  });

  it.each([
    [500, 'internal_error'],
    [501, 'not_implemented'],
    [502, 'bad_gateway'],
    [503, 'service_unavailable'],
    [504, 'gateway_timeout'],
    [599, 'internal_error'],
  ])('sends nothing that an HttpException of status %i was made with', async (status, code) => {
    const { body } = await responseTo(new HttpException('at /srv/secret.js', status)).expect(status);
    expect(body).toEqual({ code, message: expect.not.stringContaining('secret'), status });
  });

  it.each([
    ['a sentence', new ForbiddenException('Ask the harbour master.'), 'Ask the harbour master.'],
    [
      'rules',
      new BadRequestException(['name is required', 'mast must be tall']),
      'name is required; mast must be tall',
    ],
    ['a body', new BadRequestException({ message: 'No wind.', knots: 0 }), 'No wind.'],
    ['another body', new BadRequestException({ code: 413, message: ['No wind.'] }), 'No wind.'],
  ])('sends the message of an exception of Nest that was made with %s', async (_what, error, message) => {
    const { body } = await responseTo(error).expect(error.getStatus());
    expect(body.message).toBe(message);
  });

  it.each<[string, HttpException, string, string?]>([
    ['a code', new ConflictException('Taken.', { errorCode: 'BERTH_TAKEN' }), 'Taken.', 'BERTH_TAKEN'],
    [
      'a code alone',
      new ConflictException(undefined, { errorCode: 'BERTH_TAKEN' }),
      'The request conflicts with the current state.',
      'BERTH_TAKEN',
    ],
    [
      'a code in its body',
      new ConflictException({ message: 'Taken.', errorCode: 'taken' }),
      'Taken.',
      'taken',
    ],
    [
      'a code for a failure',
      new ServiceUnavailableException('secret', { errorCode: 'TIDE_OUT' }),
      'The service is unavailable. Try again shortly.',
      'TIDE_OUT',
    ],
    [
      'grouped messages',
      new BadRequestException({ message: { 'mast.height': ['height must be tall'], 'hull[0]': ['no oak'] } }),
      'mast.height must be tall; hull[0]: no oak',
    ],
    [
      'issues of zod',
      new BadRequestException({
        message: 'Validation failed',
        errors: [
          { code: 'too_small', path: ['mast', 'height'], message: 'Too small' },
          { message: 'No sail' },
        ],
      }),
      'Validation failed: mast.height: Too small; No sail',
    ],
    [
      'details',
      new ConflictException({ code: 'taken', message: 'Taken.', details: { berth: 3, by: ['Rex'] } }),
      'Taken: berth: 3; by: Rex',
      'taken',
    ],
  ])('sends %s of an exception in the Error object', async (_what, error, message, code = 'bad_request') => {
    const status = error.getStatus();
    await responseTo(error).expect(status, { code, message, status });
  });

  it.each([
    ['nothing', new ConflictException()],
    ['an error', new ConflictException(new Error('secret'))],
    ['blanks', new ConflictException(' ')],
    ['rules that are not strings', new ConflictException([{ secret: 1 }])],
    ['a body without a message', new ConflictException({ secret: 'secret' })],
  ])(
    'sends the standard message of the status for an exception of Nest that was made with %s',
    async (_what, error) => {
      const message = 'The request conflicts with the current state.';
      await responseTo(error).expect(409, { code: 'conflict', message, status: 409 });
    },
  );

  it.each([
    ['a pipe', 'mast/high', 400, 'bad_request', 'Validation failed (numeric string is expected)'],
    ['a guard', 'guarded', 403, 'forbidden', 'Forbidden resource'],
  ])('sends the message of Nest when %s refuses', async (_what, path, status, code, message) => {
    await send(`/ships/${path}`).expect(status, { code, message, status });
  });

  it.each([
    ['status', Object.assign(new Error('secret'), { status: 415 })],
    ['statusCode', Object.assign(new Error('secret'), { statusCode: 415 })],
    ['status on a plain object', { status: 415, message: 'secret' }],
  ])("takes the status of a library's error from its %s", async (_where, error) => {
    await responseTo(error).expect(415, {
      code: 'unsupported_media_type',
      message: 'The media type of the request body is not supported.',
      status: 415,
    });
    expect(unexpected).not.toHaveBeenCalled();
  });

  it.each([
    ['an error', new Error('password is hunter2')],
    ['a library error of status 500', Object.assign(new Error('hunter2'), { status: 500 })],
    ['an error with a status below 400', Object.assign(new Error('hunter2'), { status: 200 })],
    ['an HttpException with a status below 400', new HttpException('hunter2', 302)],
    ['a string', 'hunter2'],
    ['null', null],
    ['undefined', undefined],
  ])('responds to %s with 500 internal_error and logs it', async (_what, error) => {
    await responseTo(error).expect(500, {
      code: 'internal_error',
      message: 'The service failed to process the request.',
      status: 500,
    });
    expect(unexpected.mock.calls).toEqual([[error, '/ships']]);
  });

  it("sends the application's own translation, with its headers and a length in bytes", async () => {
    const { text, headers } = await responseTo(new HarbourFull()).expect(503).expect('retry-after', '7');
    expect(text).toBe('{"code":"harbour_full","message":"Kein Liegeplatz für Schiffe.","status":503}');
    expect(headers['content-length']).toBe('78');
    expect(headers['cache-control']).toBe('no-store');
    expect(unexpected).toHaveBeenCalledTimes(1);
  });

  it('lets the application translate exceptions of Nest', async () => {
    const { body } = await responseTo(new GoneException('Sunk.')).expect(503);
    expect(body.code).toBe('harbour_full');
  });

  it('also logs a deliberate 503', async () => {
    const error = new ServiceUnavailableException({ code: 'closed', message: 'The harbour is closed.' });
    await responseTo(error).expect(503);
    expect(unexpected.mock.calls).toEqual([[error, '/ships']]);
  });

  it('sends the error of a body parser', async () => {
    const { body } = await request(app.getHttpServer())
      .post('/ships')
      .set('content-type', 'application/json')
      .send('{"secret')
      .expect(400);
    expect(body).toEqual({ code: 'bad_request', message: expect.stringContaining('JSON'), status: 400 });
  });

  it('names the page that describes the error, beside the links that are set', async () => {
    const linked = await responseTo(new ConflictException()).set('X-Linked', 'yes').expect(409);
    expect(linked.headers['link']).toBe('</harbour>; rel="up", </docs/errors#conflict>; rel="help"');
    const { headers } = await responseTo(new Error('secret')).expect(500);
    expect(headers['link']).toBe('</docs/errors#internal_error>; rel="help"');
  });

  it('closes the connection when part of the body has been sent', async () => {
    await expect(responseTo(new Error('secret'), '/ships/cut')).rejects.toThrow('aborted');
    expect(unexpected).toHaveBeenCalledTimes(1);
  });

  it('does not change a response that was complete before the error', async () => {
    await responseTo(new Error('secret'), '/ships/late').expect(200, 'whole');
    expect(unexpected).toHaveBeenCalledTimes(1);
  });
});

describe('HttpErrorFilter with a function of the application that fails', () => {
  const INTERNAL = {
    code: 'internal_error',
    message: 'The service failed to process the request.',
    status: 500,
  };
  const fail = (): never => {
    throw new Error('secret');
  };
  const translatedTo = (error: object) => ({
    translate: () => ({ code: 'odd', message: 'Odd.', status: 409, ...error }) as HttpError,
  });

  async function responseTo(options: HttpErrorFilterOptions): Promise<request.Response> {
    thrown = new Error('secret');
    const testing = await Test.createTestingModule({
      controllers: [ShipsController],
      imports: [HttpErrorsModule.forRoot(options)],
    }).compile();
    const app = await testing.createNestApplication({ logger: false }).init();
    try {
      return await request(app.getHttpServer()).get('/ships');
    } finally {
      await app.close();
    }
  }

  it.each<[string, HttpErrorFilterOptions]>([
    ['"translate" throws', { translate: fail }],
    ['"onUnexpected" throws', { onUnexpected: fail }],
    ['"beforeSend" throws', { beforeSend: fail }],
    ['a status is 42', translatedTo({ status: 42 })],
    ['a status is 200', translatedTo({ status: 200 })],
    ['a status is none', translatedTo({ status: undefined })],
    ['a header cannot be sent', translatedTo({ headers: { 'X-Odd': 'a\r\nb' } })],
    ['a message cannot be sent', translatedTo({ message: 1n })],
  ])('sends its own 500 when %s', async (_, options) => {
    const { status, body, headers } = await responseTo(options);
    expect([status, body]).toEqual([500, INTERNAL]);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it.each(['onUnexpected', 'beforeSend'])('logs what an asynchronous "%s" rejects with', async (name) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const failure = new Error('cannot be reported');
    const { status, body } = await responseTo({ [name]: () => Promise.reject(failure) });

    expect([status, body]).toEqual([500, INTERNAL]);
    expect(logged.mock.calls.flat()).toEqual(expect.arrayContaining([thrown, failure]));
    logged.mockRestore();
  });

  it('sends nothing of an error with another status, neither in the body nor in its headers', async () => {
    const error = { status: 200, code: 'secret', message: 'secret', headers: { 'X-Secret': '1' } };
    const { status, body, headers } = await responseTo({
      beforeSend: (_, response) => sendError(response, error, '/docs/errors'),
    });
    expect([status, body]).toEqual([500, INTERNAL]);
    expect(headers['link']).toBe('</docs/errors#internal_error>; rel="help"');
    expect(headers).not.toHaveProperty('x-secret');
  });

  it('lets "beforeSend" set headers', async () => {
    const { headers } = await responseTo({
      beforeSend: (_, response) => void (response as ServerResponse).setHeader('X-Harbour', 'north'),
    });
    expect(headers['x-harbour']).toBe('north');
  });
});

describe('httpErrorFrom', () => {
  it('says of the time-out of an interceptor, as Nest documents it, nothing of how the request arrived', () => {
    const message = 'The request took too long.';
    expect(httpErrorFrom(new RequestTimeoutException())).toMatchObject({ code: 'request_timeout', message });
  });

  it('knows a domain error of another copy of its class', () => {
    const error = Object.assign(new Error('The account has too many keys.'), {
      [Symbol.for('kind of a domain error')]: 'conflict',
      code: 'too_many_keys',
    });
    expect(httpErrorFrom(error)).toEqual({
      status: 409,
      code: 'too_many_keys',
      message: 'The account has too many keys.',
    });
  });

  it('hides one of a kind that a later version of another package has', () => {
    const error = Object.assign(new Error('at /srv/secret.js'), {
      [Symbol.for('kind of a domain error')]: 'gone',
      code: 'secret',
    });
    expect(httpErrorFrom(error)).toMatchObject({ status: 500, code: 'internal_error' });
  });
});
