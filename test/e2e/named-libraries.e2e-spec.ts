import type { IncomingHttpHeaders } from 'node:http';
import { type CallHandler, type ExecutionContext, Injectable } from '@nestjs/common';
import { EntityManager, Repository, SelectQueryBuilder } from 'typeorm';
import { DeprecationInterceptor } from '@animal-store/deprecation';
import { JobWorker } from '@animal-store/jobs';
import { DAY_MS } from '@animal-store/kernel';
import { PlanThrottlerGuard } from '@animal-store/rate-limiting';
import { dtoOf } from '@animal-store/web';
import { LiftBan } from '../../src/access/application/usage/lift-ban.use-case.js';
import { KeyHistory } from '../../src/access/domain/key-history.js';
import { ListPetsDto } from '../../src/pets/http/list-pets.dto.js';
import { NewAnimalDto } from '../../src/pets/http/new-animal.dto.js';
import { TestApp } from '../support/test-app.js';

@Injectable()
class TenantGuard extends PlanThrottlerGuard {
  protected override getTracker({ headers }: Record<string, IncomingHttpHeaders>): Promise<string> {
    return Promise.resolve(`tenant ${headers!['x-tenant'] as string}`);
  }
}

/** A request that breaks the rule of a field, which is in its query or in its body; the conventions have every DTO. */
const BROKEN = [
  ['GET /v1/pets?limit=x', ListPetsDto, 'limit'],
  ['POST /v1/pets', NewAnimalDto, 'name'],
] as const;

describe('What the service names does the work', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.startWith([], {}, (nest) =>
      nest.overrideProvider(PlanThrottlerGuard).useClass(TenantGuard),
    );
    key = await store.key('free', 'zoo');
  });

  afterAll(() => store.stop());
  afterEach(() => jest.restoreAllMocks());

  const send = (method: string, path: string, tenant: string) =>
    store.send(method, path, key).set('X-Tenant', tenant);

  it.each(BROKEN)('%s calls the constraints of class-validator', async (line, type, field) => {
    const constraints = dtoOf(type)
      .fields.get(field)!
      .checks.map(({ constraint }) => jest.spyOn(constraint, 'validate'));

    const [method, path] = line.split(' ') as [string, string];
    const sent = send(method, path, 'validation');
    await (path.includes('?') ? sent : sent.send({ [field]: true })).expect(400);
    expect(constraints.length).toBeGreaterThan(0);
    for (const validate of constraints) expect(validate).toHaveBeenCalledTimes(1);
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

  it("reads what is read seldom by TypeORM's Repository", async () => {
    const find = jest.spyOn(Repository.prototype, 'find');
    expect(await store.app.get(KeyHistory).of('key-7')).toEqual([]);
    expect(find).toHaveBeenCalledTimes(1);

    const getRawMany = jest.spyOn(SelectQueryBuilder.prototype, 'getRawMany');
    const another = await store.key('free', 'dock');
    await store.send('GET', '/v1/usage', another).set('X-Tenant', 'ark').expect(200);
    expect(getRawMany).toHaveBeenCalledTimes(1);
  });

  it("writes what changes seldom by TypeORM's EntityManager", async () => {
    const written = (['insert', 'upsert', 'delete'] as const).map((name) =>
      jest.spyOn(EntityManager.prototype, name),
    );
    const hook = { url: 'https://shop.example/webhooks', events: ['order.placed'] };
    const { body } = await send('POST', '/v1/webhooks', 'ark').send(hook).expect(201);
    await send('DELETE', `/v1/webhooks/${body.id}`, 'ark').expect(204);
    await store.app.get(LiftBan).execute({ address: '203.0.113.7' });
    store.clock.advance(DAY_MS);
    await store.app.get(JobWorker).onApplicationBootstrap();

    const names = written.map(({ mock }) => mock.calls.map(([record]) => (record as { name: string }).name));
    expect(names.map((of) => [...new Set(of)].sort())).toEqual([
      ['KeyChangeRecord', 'WebhookSubscriptionRecord'],
      ['LiftRecord', 'ScheduleRecord'],
      ['EventInterestRecord', 'LiftRecord', 'WebhookRecord', 'WebhookSubscriptionRecord'],
    ]);
  });
});
