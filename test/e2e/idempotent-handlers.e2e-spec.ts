import { Body, Controller, Delete, Header, HttpCode, Module, Param, Post, Query, Res } from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import type { Response } from 'express';
import type { Test } from 'supertest';
import { Deprecated } from '@animal-store/deprecation/swagger';
import { ErrorResponse } from '@animal-store/http-errors/swagger';
import { AsSent, IdPipe, IsInt64 } from '@animal-store/web';
import { Idempotent } from '@animal-store/idempotency';
import { Operation } from '@animal-store/openapi';
import { CreatePet } from '../../src/pets/application/create-pet.use-case.js';
import { PetNotFound } from '../../src/pets/domain/pet.errors.js';
import { PetsModule } from '../../src/pets/pets.module.js';
import { TestApp } from '../support/test-app.js';

class VisitDto {
  @IsInt64()
  petId: bigint;

  @IsOptional()
  @IsString()
  note?: string;
}

class PlaceDto {
  @IsOptional()
  @IsString()
  room?: string;
}

const REX = { name: 'Rex', categoryId: 7n };

@Controller('v1/visits')
class VisitsController {
  constructor(private readonly create: CreatePet) {}

  @Post()
  @HttpCode(202)
  @Idempotent()
  async visit(@Body() { petId, note }: VisitDto, @Query() { room }: PlaceDto): Promise<object> {
    await Promise.resolve();
    const { id } = await this.create.execute(REX);
    return { id, petId, note, room };
  }

  @Post('own')
  @Idempotent()
  async own(@Res({ passthrough: true }) response: Response, @Body('isEarly', AsSent) isEarly: unknown) {
    const { id } = await this.create.execute(REX);
    response.status(isEarly === true ? 200 : 202).setHeader('X-Visit', String(id));
    response.appendHeader('Link', ['</v1/a>; rel="a"', '</v1/b>; rel="b"']);
    return { id };
  }

  @Delete(':petId')
  @HttpCode(204)
  @Idempotent()
  async leave(@Param('petId', new IdPipe(PetNotFound)) petId: bigint): Promise<void> {
    await this.create.execute({ ...REX, categoryId: petId });
  }

  @Post('pair')
  @Idempotent()
  async pair(): Promise<object> {
    const [first, second] = await Promise.all([this.create.execute(REX), this.create.execute(REX)]);
    return { first: first.id, second: second.id };
  }

  @Post('invalid-pair')
  @Idempotent()
  async invalidPair(): Promise<object> {
    await this.create.execute(REX);
    return this.create.execute({ ...REX, name: '' });
  }

  @Idempotent()
  @Operation({ summary: 'Leave', description: 'Leave.', response: { created: ErrorResponse } })
  @Deprecated({ since: '2025-12-05', sunset: '2026-12-05' })
  @HttpCode(202)
  @Header('X-Way', 'upside down')
  @Post('above')
  async above(): Promise<object> {
    const { id } = await this.create.execute(REX);
    return { id };
  }

  @Post('text')
  @Idempotent()
  async text(): Promise<string> {
    await this.create.execute(REX);
    return 'Welcome';
  }
}

@Module({ imports: [PetsModule], controllers: [VisitsController] })
class VisitsModule {}

describe('A handler with @Idempotent()', () => {
  let store: TestApp;
  /** A new key for each test, as the tests share a store. */
  let key: string;
  /** The number of animals when the test began. */
  let before: number;

  beforeAll(async () => {
    store = await TestApp.startWith(VisitsModule);
  });

  beforeEach(async () => {
    key = await store.key();
    before = 0;
    before = await addedPets();
  });

  afterAll(() => store.stop());

  function send(method: string, path: string, idempotencyKey: string | null = 'f3b1'): Test {
    const sent = store.send(method, `/v1/visits${path}`, key).set('Content-Type', 'application/json');
    return idempotencyKey === null ? sent : sent.set('Idempotency-Key', idempotencyKey);
  }

  /** The number of animals that were added since the test began. */
  async function addedPets(): Promise<number> {
    return ((await store.send('GET', '/v1/pets?limit=100', key)).body as object[]).length - before;
  }

  it('has its status and its exact response replayed', async () => {
    const first = await send('POST', '').send('{"petId":9007199254740993}').expect(202);
    const retry = await send('POST', '').send(' { "petId" : 9007199254740993 } ').expect(202);

    expect(first.text).toBe(`{"id":${before + 1},"petId":9007199254740993}`);
    expect(retry.text).toBe(first.text);
    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.headers['content-type']).toBe(first.headers['content-type']);
    expect(await addedPets()).toBe(1);
  });

  it('treats bodies with the same fields in another order as the same request', async () => {
    await send('POST', '').send('{"petId":7,"note":"tame"}').expect(202);
    const retry = await send('POST', '').send('{"note":"tame","petId":7}').expect(202);

    expect(retry.headers['idempotent-replayed']).toBe('true');
  });

  it.each([
    ['body', '', '{"petId":9007199254740992}'],
    ['query', '?room=2', '{"petId":9007199254740993}'],
  ])('refuses the key with another %s', async (_, path, body) => {
    await send('POST', '').send('{"petId":9007199254740993}').expect(202);

    const { body: error } = await send('POST', path).send(body).expect(422);
    expect(error).toMatchObject({ code: 'idempotency_key_reused' });
    expect(await addedPets()).toBe(1);
  });

  it('has the status and headers that it sets replayed', async () => {
    const first = await send('POST', '/own').send('{"isEarly":true}').expect(200);
    const retry = await send('POST', '/own').send('{"isEarly":true}').expect(200);

    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(first.headers['link']).toBe('</v1/a>; rel="a", </v1/b>; rel="b"');
    for (const name of ['x-visit', 'link']) expect(retry.headers[name]).toBe(first.headers[name]);
  });

  it('refuses the key with another body even if it reads only one field', async () => {
    await send('POST', '/own').send('{"isEarly":true}').expect(200);

    await send('POST', '/own').send('{"isEarly":false}').expect(422);
  });

  it('has a response without a body replayed, and refuses the key with another id in the path', async () => {
    await send('DELETE', '/7').expect(204);
    const retry = await send('DELETE', '/7').expect(204);

    expect(retry.headers['idempotent-replayed']).toBe('true');
    expect(retry.text).toBe('');
    await send('DELETE', '/8').expect(422);
    expect(await addedPets()).toBe(1);
  });

  it('runs all its use cases in one transaction', async () => {
    await send('POST', '/pair').send('{}').expect(201);
    expect(await addedPets()).toBe(2);

    await send('POST', '/invalid-pair', 'other').send('{}').expect(400);
    expect(await addedPets()).toBe(2);
  });

  it('runs each use case in its own transaction without an Idempotency-Key', async () => {
    await send('POST', '/invalid-pair', null).send('{}').expect(400);
    expect(await addedPets()).toBe(1);
  });

  it('fails and writes nothing when its response cannot be stored', async () => {
    await send('POST', '/text').send('{}').expect(500);
    expect(await addedPets()).toBe(0);

    expect((await send('POST', '/text', null).send('{}').expect(201)).text).toBe('Welcome');
  });

  // The last one, as it goes to the sunset.
  it('works above all other decorators as below them', async () => {
    const first = await send('POST', '/above').expect(202);
    const retry = await send('POST', '/above').expect(202);
    for (const { headers } of [first, retry]) {
      expect(headers).toMatchObject({ 'x-way': 'upside down', deprecation: '@1764892800' });
    }
    expect([retry.text, retry.headers['idempotent-replayed']]).toEqual([first.text, 'true']);

    store.clock.set('2026-12-05T00:00:00Z');
    key = await store.key();
    await send('POST', '/above').expect(410);
  });
});

describe('@Idempotent()', () => {
  const documentation = Operation({ summary: 'Adopt', description: 'Adopt.', response: 'nothing' });

  it('is documented, above @Operation and below it', () => {
    class AdoptionsController {
      @Idempotent()
      @documentation
      above(): void {}

      @documentation
      @Idempotent()
      below(): void {}
    }

    for (const handler of [AdoptionsController.prototype.above, AdoptionsController.prototype.below]) {
      const responses = Reflect.getMetadata('swagger/apiResponse', handler) as Record<number, object>;
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['409', '422']));
      expect(JSON.stringify(responses[400])).toContain('Idempotency-Key');
    }
  });
});
