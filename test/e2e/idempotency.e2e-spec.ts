import {
  Body,
  Controller,
  Delete,
  Header,
  HttpCode,
  Module,
  Param,
  Post,
  Query,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { IsOptional, IsString } from 'class-validator';
import type { Response } from 'express';
import type { Response as Received, Test } from 'supertest';
import { Deprecated } from '@animal-store/deprecation/swagger';
import { databases, temporaryPostgresOptions } from '@animal-store/database/testing';
import { ErrorResponse } from '@animal-store/http-errors/swagger';
import { Int64Field } from '@animal-store/openapi';
import { AsSent, IdPipe } from '@animal-store/web';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation } from '@animal-store/openapi';
import { CreatePet } from '../../src/pets/application/create-pet.use-case.js';
import { PetNotFound } from '../../src/pets/domain/pet.errors.js';
import { PetsModule } from '../../src/pets/pets.module.js';
import { TestApp } from '../support/test-app.js';

class VisitDto {
  @Int64Field()
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

@Controller('visits')
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

  @Post('file')
  @Idempotent()
  async file(): Promise<StreamableFile> {
    await this.create.execute(REX);
    return new StreamableFile(Buffer.from('Welcome'));
  }
}

@Module({ imports: [IdempotencyModule, PetsModule], controllers: [VisitsController] })
class VisitsModule {}

describe('Idempotency-Key', () => {
  let store: TestApp;
  /** A key of an account of its own for each test, as the tests share a store. */
  let key: string;
  let account: string;
  let accounts = 0;
  /** The number of animals when the test began. The next one has the id after it. */
  let pets: number;

  beforeAll(async () => {
    store = await TestApp.startWith(VisitsModule);
  });

  beforeEach(async () => {
    account = `zoo ${++accounts}`;
    key = await store.key('business', account);
    pets = await count();
  });

  afterAll(() => store.stop());

  async function count(): Promise<number> {
    const [row] = await store.database.run((transaction) =>
      store.database.session(transaction).query<{ rows: bigint }>('SELECT count(*) AS rows FROM pets'),
    );
    return Number(row!.rows);
  }

  /** The number of animals that were added since the test began. */
  async function added(): Promise<number> {
    return (await count()) - pets;
  }

  function expectReplayed(retry: Received, first: Received): void {
    const { headers, status, text } = retry;
    expect([headers['idempotent-replayed'], status, text]).toEqual(['true', first.status, first.text]);
    for (const name of ['location', 'content-type', 'link', 'x-visit'])
      expect(headers[name]).toBe(first.headers[name]);
  }

  describe('of an operation', () => {
    function createPet(
      idempotencyKey: string,
      body: object = { name: 'Rex', categoryId: 7 },
      apiKey = key,
    ): Test {
      return store.send('POST', '/v1/pets', apiKey).set('Idempotency-Key', idempotencyKey).send(body);
    }

    function placeOrder(idempotencyKey: string, petId: number): Test {
      return store
        .send('POST', '/v1/store/orders', key)
        .set('Idempotency-Key', idempotencyKey)
        .send({ petId });
    }

    async function orders(): Promise<object[]> {
      return (await store.send('GET', '/v1/store/orders', key).expect(200)).body as object[];
    }

    it('201: a retry of createPet gets the first response and adds nothing', async () => {
      const first = await createPet('f3b1').expect(201);
      const retry = await createPet('"f3b1"').expect(201);

      expect(first.headers['idempotent-replayed']).toBeUndefined();
      expect(first.headers['location']).toBe(`/v1/pets/${pets + 1}`);
      expectReplayed(retry, first);
      expect(await added()).toBe(1);
    });

    it('201: a retry of placeOrder gets the first response, even after the order has changed', async () => {
      await createPet('pet');
      const first = await placeOrder('order', pets + 1).expect(201);
      const { location } = first.headers as { location: string };
      await store.send('POST', `${location}/cancel`, key).expect(200);
      const retry = await placeOrder('order', pets + 1).expect(201);

      expectReplayed(retry, first);
      expect(await orders()).toHaveLength(1);
    });

    it.each([
      ['complete', 'cancel', 'completed'],
      ['cancel', 'complete', 'cancelled'],
    ])(
      '200: a retry to %s an order gets the first response instead of a 409',
      async (action, other, status) => {
        await createPet('pet');
        const { location } = (await placeOrder('order', pets + 1)).headers as { location: string };
        const act = (verb: string, idempotencyKey: string) =>
          store.send('POST', `${location}/${verb}`, key).set('Idempotency-Key', idempotencyKey);

        const first = await act(action, 'once').expect(200);
        const retry = await act(action, 'once').expect(200);

        expect(first.body).toMatchObject({ petId: pets + 1, status });
        expectReplayed(retry, first);
        expect((await act(action, 'twice').expect(409)).body).toMatchObject({ code: 'order_not_open' });
        expect((await act(other, 'once').expect(422)).body).toMatchObject({ code: 'idempotency_key_reused' });
      },
    );

    it('201: a retry gets the response that an earlier version stored', async () => {
      await store.database.run((transaction) =>
        store.database.session(transaction).query(
          `INSERT INTO idempotency_records (api_key_id, idempotency_key, fingerprint, body, headers, created_at)
         VALUES (?, 'first-try', '2j1mBSn5d2dv1aqQvzVmKfRqxevXNf8nOfmWhuXF6rM', '{"id":2}', '{"Location":"/v1/pets/2"}', ?)`,
          [account, BigInt(store.clock.now())],
        ),
      );
      const sent = '{"categoryId":-9223372036854775808,"name":"Łucja 🦜","status":"sold"}';
      const retry = await store
        .send('POST', '/v1/pets', key)
        .set({ 'Idempotency-Key': 'first-try', 'Content-Type': 'application/json' })
        .send(sent)
        .expect(201);

      expect(retry.headers['idempotent-replayed']).toBe('true');
      expect(retry.headers['location']).toBe('/v1/pets/2');
      expect(retry.text).toBe('{"id":2}');
    });

    it('422 idempotency_key_reused: refuses the key with another body or another operation', async () => {
      await createPet('f3b1');
      const error = {
        code: 'idempotency_key_reused',
        message: 'This Idempotency-Key was used for another request. Use a new key for a new request.',
        status: 422,
      };

      expect((await createPet('f3b1', { name: 'Mia', categoryId: 7 }).expect(422)).body).toEqual(error);
      expect((await placeOrder('f3b1', pets + 1).expect(422)).body).toEqual(error);
      expect(await added()).toBe(1);
      expect(await orders()).toEqual([]);
    });

    it.each(['[', '{"a":'])(
      '400 invalid_json: refuses a body that nests too deeply, of %s',
      async (begin) => {
        const levels = Math.floor(16_000 / (begin.length + 1));
        const end = begin === '[' ? ']' : '}';
        const sent = store.send('POST', '/v1/pets', key).set('Idempotency-Key', 'deep');
        const { body } = await sent.type('json').send(`${begin.repeat(levels)}1${end.repeat(levels)}`);

        expect(body).toEqual({
          code: 'invalid_json',
          message: 'The body must be valid JSON: it nests too deeply.',
          status: 400,
        });
      },
    );

    it.each(['""', 'x'.repeat(256)])(
      '400 invalid_parameter: refuses the key %j and adds nothing',
      async (idempotencyKey) => {
        expect((await createPet(idempotencyKey).expect(400)).body).toEqual({
          code: 'invalid_parameter',
          message: 'Idempotency-Key must be 1 to 255 visible ASCII characters, bare or in double quotes.',
          status: 400,
        });
        expect(await added()).toBe(0);
      },
    );
  });

  describe('of a handler with @Idempotent()', () => {
    function send(method: string, path: string, idempotencyKey: string | null = 'f3b1'): Test {
      const sent = store.send(method, `/v1/visits${path}`, key).set('Content-Type', 'application/json');
      return idempotencyKey === null ? sent : sent.set('Idempotency-Key', idempotencyKey);
    }

    it('has its status and its exact response replayed', async () => {
      const first = await send('POST', '').send('{"petId":9007199254740993}').expect(202);
      const retry = await send('POST', '').send(' { "petId" : 9007199254740993 } ').expect(202);

      expect(first.text).toBe(`{"id":${pets + 1},"petId":9007199254740993}`);
      expectReplayed(retry, first);
      expect(await added()).toBe(1);
    });

    it('treats bodies with the same fields in another order as the same request', async () => {
      await send('POST', '').send('{"petId":7,"note":"tame"}').expect(202);
      const retry = await send('POST', '').send('{"note":"tame","petId":7}').expect(202);

      expect(retry.headers['idempotent-replayed']).toBe('true');
    });

    it.each([
      ['body', '', '{"petId":9007199254740993}', '', '{"petId":9007199254740992}'],
      ['query', '', '{"petId":7}', '?room=2', '{"petId":7}'],
      ['body, although it reads only one field', '/own', '{"isEarly":true}', '/own', '{"isEarly":false}'],
    ])('refuses the key with another %s', async (_, path, body, otherPath, otherBody) => {
      await send('POST', path).send(body);

      const { body: error } = await send('POST', otherPath).send(otherBody).expect(422);
      expect(error).toMatchObject({ code: 'idempotency_key_reused' });
      expect(await added()).toBe(1);
    });

    it('has the status and headers that it sets replayed', async () => {
      const first = await send('POST', '/own').send('{"isEarly":true}').expect(200);
      const retry = await send('POST', '/own').send('{"isEarly":true}').expect(200);

      expect(first.headers).toMatchObject({
        link: '</v1/a>; rel="a", </v1/b>; rel="b"',
        'x-visit': String(pets + 1),
      });
      expectReplayed(retry, first);
    });

    it('has a response without a body replayed, and refuses the key with another id in the path', async () => {
      const first = await send('DELETE', '/7').expect(204);
      const retry = await send('DELETE', '/7').expect(204);

      expectReplayed(retry, first);
      await send('DELETE', '/8').expect(422);
      expect(await added()).toBe(1);
    });

    it('runs all its use cases in one transaction', async () => {
      await send('POST', '/pair').send('{}').expect(201);
      expect(await added()).toBe(2);

      await send('POST', '/invalid-pair', 'other').send('{}').expect(400);
      expect(await added()).toBe(2);
    });

    it('runs each use case in its own transaction without an Idempotency-Key', async () => {
      await send('POST', '/invalid-pair', null).send('{}').expect(400);
      expect(await added()).toBe(1);
    });

    it('fails and writes nothing when its response cannot be stored', async () => {
      await send('POST', '/file').send('{}').expect(500);
      expect(await added()).toBe(0);

      expect(String((await send('POST', '/file', null).send('{}').expect(201)).body)).toBe('Welcome');
    });

    it('has a text replayed', async () => {
      const first = await send('POST', '/text').send('{}').expect(201);
      expect(first.text).toBe('Welcome');
      expectReplayed(await send('POST', '/text').send('{}').expect(201), first);
      expect(await added()).toBe(1);
    });

    // The last one, as it goes to the sunset.
    it('works above all other decorators as below them', async () => {
      const first = await send('POST', '/above').expect(202);
      const retry = await send('POST', '/above').expect(202);
      for (const { headers } of [first, retry]) {
        expect(headers).toMatchObject({ 'x-way': 'upside down', deprecation: '@1764892800' });
      }
      expectReplayed(retry, first);

      store.clock.set('2026-12-05T00:00:00Z');
      key = await store.key();
      await send('POST', '/above').expect(410);
    });
  });
});

describe.each(databases.map(([name]) => name))(
  'Idempotency-Key after a rotation of the API key on %s',
  (name) => {
    let store: TestApp;

    beforeAll(async () => {
      const onPostgres = name === 'PostgreSQL' && { DATABASE_URL: (await temporaryPostgresOptions()).url };
      store = await TestApp.start({ ...onPostgres });
    });

    afterAll(() => store.stop());

    function send(key: string, path: string, body: object = {}): Test {
      return store.send('POST', path, key).set('Idempotency-Key', 'try-1').send(body);
    }

    /** A key, the one that replaces it and, in a named account, one more. */
    async function keysOf(account?: string): Promise<string[]> {
      const key = await store.key('business', account);
      const { body } = await store.send('GET', '/v1/keys', key).expect(200);
      const [{ id }] = body as [{ id: string }];
      const rotated = await store.send('POST', `/v1/keys/${id}/rotate`, key).expect(201);
      const successor = (rotated.body as { key: string }).key;
      return [key, successor, ...(account === undefined ? [] : [await store.key('free', account)])];
    }

    it.each([['an account', 'zoo'] as const, ['a key without an account', undefined] as const])(
      'adds one animal and places one order for %s, whichever of its keys retries',
      async (_name, account) => {
        const [key, ...others] = await keysOf(account);
        const { body: pet } = (await send(key!, '/v1/pets', { name: 'Rex', categoryId: 7 }).expect(201)) as {
          body: { id: number };
        };
        for (const other of others) {
          const retry = await send(other, '/v1/pets', { name: 'Rex', categoryId: 7 }).expect(201);
          expect(retry.headers['idempotent-replayed']).toBe('true');
          expect(retry.body).toEqual(pet);
        }

        const order = (any: string) =>
          store
            .send('POST', '/v1/store/orders', any)
            .set('Idempotency-Key', 'order-1')
            .send({ petId: pet.id });
        const placed = await order(key!).expect(201);
        for (const other of others) {
          const retry = await order(other).expect(201);
          expect(retry.headers['idempotent-replayed']).toBe('true');
          expect(retry.text).toBe(placed.text);
        }
      },
    );

    it('409 first_response_withheld: shows a secret again to the key that it was shown to, and to no other', async () => {
      const [key, ...others] = await keysOf('aquarium');
      const hook = { url: 'https://shop.example/hook', events: ['order.placed'] };
      const created = await send(key!, '/v1/webhooks', hook).expect(201);
      const rotate = (any: string) =>
        store
          .send('POST', `${created.headers['location']}/rotate-secret`, any)
          .set('Idempotency-Key', 'rotate-1');
      const rotated = await rotate(key!).expect(200);

      expect((await send(key!, '/v1/webhooks', hook).expect(201)).text).toBe(created.text);
      expect((await rotate(key!).expect(200)).text).toBe(rotated.text);
      for (const other of others) {
        for (const refused of [await send(other, '/v1/webhooks', hook), await rotate(other)]) {
          expect(refused.status).toBe(409);
          expect(refused.body).toMatchObject({ code: 'first_response_withheld' });
          expect(refused.text).not.toContain('whsec_');
        }
      }
      const { body: webhooks } = await store.send('GET', '/v1/webhooks', key!).expect(200);
      expect(webhooks).toHaveLength(1);
    });
  },
);
