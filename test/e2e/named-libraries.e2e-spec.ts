import type { IncomingHttpHeaders } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { Repository } from 'typeorm';
import { DeprecationInterceptor } from '@animal-store/deprecation';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import { dtoOf } from '@animal-store/web';
import { KeyHistory } from '../../src/access/domain/key-history.js';
import { ListKeysDto } from '../../src/access/http/list-keys.dto.js';
import { ListOrdersDto } from '../../src/orders/http/list-orders.dto.js';
import { NewOrderDto } from '../../src/orders/http/new-order.dto.js';
import { ListPetsDto } from '../../src/pets/http/list-pets.dto.js';
import { NewAnimalDto } from '../../src/pets/http/new-animal.dto.js';
import { ListEventsDto } from '../../src/webhooks/http/list-webhooks.dto.js';
import { NewWebhookDto } from '../../src/webhooks/http/new-webhook.dto.js';
import { TestApp } from '../support/test-app.js';

@Injectable()
class TenantGuard extends PlanThrottlerGuard {
  protected override getTracker({ headers }: Record<string, IncomingHttpHeaders>): Promise<string> {
    return Promise.resolve(`tenant ${headers!['x-tenant'] as string}`);
  }
}

describe('What the service names does the work', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith([], {}, (nest) =>
      nest.overrideProvider(PlanThrottlerGuard).useClass(TenantGuard),
    );
    key = await store.key('free', 'zoo', [
      'pets:read',
      'pets:write',
      'orders:read',
      'orders:write',
      'keys:manage',
      'webhooks:read',
      'webhooks:write',
    ]);
  });

  afterAll(() => store.stop());
  afterEach(() => jest.restoreAllMocks());

  const send = (method: string, path: string, tenant: string) =>
    store.send(method, path, key).set('X-Tenant', tenant);

  it.each([
    ['GET', '/v1/pets', ListPetsDto, 'limit'],
    ['POST', '/v1/pets', NewAnimalDto, 'name'],
    ['GET', '/v1/store/orders', ListOrdersDto, 'limit'],
    ['POST', '/v1/store/orders', NewOrderDto, 'petId'],
    ['GET', '/v1/keys', ListKeysDto, 'limit'],
    ['GET', '/v1/events', ListEventsDto, 'limit'],
    ['POST', '/v1/webhooks', NewWebhookDto, 'url'],
  ] as const)("%s %s asks class-validator's constraints", async (method, path, type, field) => {
    const asked = dtoOf(type)
      .fields.get(field)!
      .checks.map(({ constraint }) => jest.spyOn(constraint, 'validate'));

    const body = method === 'POST';
    const sent = send(method, body ? path : `${path}?${field}=x`, 'validation');
    await (body ? sent.send({ [field]: true }) : sent).expect(400);
    expect(asked.length).toBeGreaterThan(0);
    for (const validate of asked) expect(validate).toHaveBeenCalledTimes(1);
  });

  it('counts by what getTracker() of a subclass of the ThrottlerGuard says', async () => {
    await send('GET', '/v1/pets', 'ark').expect('X-RateLimit-Remaining', '59').expect(200);
    await send('GET', '/v1/usage', 'ark').expect(200);
    await send('GET', '/v1/pets', 'ark').expect('X-RateLimit-Remaining', '58').expect(200);
    await send('GET', '/v1/pets', 'circus').expect('X-RateLimit-Remaining', '59').expect(200);
  });

  it('has the deprecation headers from the interceptor', async () => {
    await send('POST', '/v1/pets', 'ark').send({ name: 'Rex', categoryId: 7 }).expect(201);
    await send('GET', '/v1/pets/1', 'ark').expect('Deprecation', '@1795132800').expect(200);

    jest
      .spyOn(DeprecationInterceptor.prototype, 'intercept')
      .mockImplementation((_context: ExecutionContext, next: CallHandler) => next.handle());
    const { headers } = await send('GET', '/v1/pets/1', 'ark').expect(200);
    expect(headers).not.toHaveProperty('deprecation');
    expect(headers).not.toHaveProperty('sunset');
  });

  it("reads the history of a key by TypeORM's Repository", async () => {
    const find = jest.spyOn(Repository.prototype, 'find');

    expect(await store.app.get(KeyHistory).of(['key-7'])).toEqual([]);
    expect(find).toHaveBeenCalledTimes(1);
  });
});
