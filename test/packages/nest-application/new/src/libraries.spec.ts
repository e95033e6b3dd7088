/** The libraries in an application as `nest new` makes it, under Jest as it configures it. */
import { Controller, Get, type INestApplication } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import {
  ApiKeysModule,
  ApiKeyStore,
  Caller,
  CallerGuard,
  generateApiKey,
  hashApiKey,
  KeyRequiredGuard,
  Public,
} from '@animal-store/api-keys';
import { Deprecated, DeprecationModule } from '@animal-store/deprecation';
import { FastExpressAdapter } from '@animal-store/fast-express';
import { HttpErrorsModule } from '@animal-store/http-errors';
import { perMinute, PlanThrottlerGuard, RateLimit, RateLimitingModule } from '@animal-store/rate-limiting';
import { AppModule } from './app.module';

const text = generateApiKey('acme_');
const key = { keyId: '1', hash: hashApiKey(text), expiresAtMs: null, revokedAtMs: null };

class Keys extends ApiKeyStore {
  findByHash(hash: string) {
    return Promise.resolve(hash === key.hash ? key : null);
  }
}

@Controller('ships')
class ShipsController {
  @Public()
  @Get('count')
  count(): number {
    return 7;
  }

  @Deprecated({ since: '2020-01-01' })
  @RateLimit({ cost: 2 })
  @Get('mine')
  mine(@Caller() caller: Caller): string {
    return `ships of ${caller.keyId}`;
  }
}

describe('The libraries under Jest', () => {
  let app: INestApplication;

  beforeAll(async () => {
    const module = await Test.createTestingModule({
      imports: [
        AppModule,
        ApiKeysModule.forRoot({ store: new Keys(), prefix: 'acme_', isGlobal: true }),
        RateLimitingModule.forRoot({
          isGlobal: true,
          subjectOf: () => ({ id: 'one', plan: [perMinute(5)] }),
        }),
        DeprecationModule.forRoot(),
        HttpErrorsModule.forRoot(),
      ],
      controllers: [ShipsController],
      providers: [
        { provide: APP_GUARD, useExisting: CallerGuard },
        { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
        { provide: APP_GUARD, useExisting: KeyRequiredGuard },
      ],
    }).compile();
    app = module.createNestApplication(new FastExpressAdapter());
    await app.init();
  });

  afterAll(() => app.close());

  const get = (path: string) => request(app.getHttpServer() as never).get(path);

  it('let the guards read what the decorators set', async () => {
    expect((await get('/ships/count')).text).toBe('7');
    expect((await get('/')).body).toMatchObject({ code: 'missing_api_key', status: 401 });
    const mine = await get('/ships/mine').set('Authorization', `Bearer ${text}`);
    expect(mine.text).toBe('ships of 1');
    expect(mine.headers).toMatchObject({ 'x-ratelimit-remaining': '1', deprecation: '@1577836800' });
  });
});
