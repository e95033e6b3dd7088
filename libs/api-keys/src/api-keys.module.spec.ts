import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Controller,
  type ExecutionContext,
  Get,
  type INestApplication,
  Logger,
  Module,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import request from 'supertest';
import { generateApiKey, hashApiKey } from './api-key.js';
import { ApiKeyStore, type StoredApiKey } from './api-key.store.js';
import { ApiKeysModule } from './api-keys.module.js';
import { AnyKey, RequireScope } from './authentication/required-scopes.js';
import { CallerGuard, Public } from './authentication/caller.guard.js';
import { Caller, callerOf } from './caller.js';
import { KeyRequiredGuard } from './authentication/key-required.guard.js';
import { defineScope } from './scope.js';

const ANNA = 'ask_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1kXNAO';
const BERT = 'ask_test_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB3rNRdb';

const DORA = generateApiKey('ask_test_');
const EVE = generateApiKey('ask_test_');
const CARL = 'ask_test_CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC36wiEM';

/** Id and scopes by the hash. */
const KEYS = new Map<string, [string, (readonly string[] | null)?]>([
  [hashApiKey(ANNA), ['key_anna']],
  [hashApiKey(DORA), ['key_dora', ['read']]],
  [hashApiKey(EVE), ['key_eve', ['moderate']]],
]);

class OneKeyStore extends ApiKeyStore<{ account: string }> {
  isDown = false;

  async findByHash(hash: string): Promise<StoredApiKey<{ account: string }> | null> {
    if (this.isDown) throw new Error('The database is gone.');
    const [keyId, scopes] = KEYS.get(hash) ?? [];
    if (keyId === undefined) return null;
    return {
      keyId,
      scopes,
      account: 'zoo',
      hash,
      expiresAtMs: null,
      revokedAtMs: null,
    };
  }
}

abstract class Rooms {
  @Get('me')
  me(@Caller() caller: Caller | null) {
    return { keyId: caller?.keyId ?? null };
  }
}

@Controller('private')
class PrivateRooms extends Rooms {
  @Public()
  @Get('open')
  open(@Caller() caller: Caller | null) {
    return { keyId: caller?.keyId ?? null };
  }
}

@RequireScope('read', 'rooms:write')
@Controller('scoped')
class ScopedRooms extends Rooms {
  @RequireScope('read')
  @Get('read')
  read() {
    return {};
  }

  @RequireScope('write', 'read', 'admin')
  @Get('write')
  write() {
    return {};
  }

  @RequireScope('read', 'moderate')
  @Get('moderate')
  moderate() {
    return {};
  }

  @AnyKey()
  @Get('any')
  any() {
    return {};
  }

  @RequireScope('moderate')
  @Get('only-moderate')
  onlyModerate() {
    return {};
  }

  @Public()
  @Get('open')
  open() {
    return {};
  }
}

@Public()
@Controller('public')
class PublicRooms extends Rooms {}

const SCOPES = [
  ...['read', 'rooms:write', 'write', 'admin'].map((name) => defineScope(name)),
  defineScope('moderate', { explicit: true }),
];

describe('ApiKeysModule', () => {
  let app: INestApplication;
  let url: string;
  const store = new OneKeyStore();
  const presumed: (Caller | null)[] = [];

  function notePresumedCaller(context: ExecutionContext): boolean {
    presumed.push(callerOf(context.getArgByIndex(0), { evenIfUnverified: true }));
    return true;
  }

  beforeAll(async () => {
    const keys = ApiKeysModule.forRootAsync({
      useFactory: () => ({
        store,
        prefix: 'ask_test_',
        realm: 'zoo',
        scopes: SCOPES,
        now: () => 1_800_000_000_000,
        isExempt: (incoming) => incoming.headers['x-exempt'] === 'yes',
      }),
    });
    @Module({
      imports: [keys],
      controllers: [PrivateRooms, PublicRooms, ScopedRooms],
      providers: [
        { provide: APP_GUARD, useExisting: CallerGuard },
        { provide: APP_GUARD, useValue: { canActivate: notePresumedCaller } },
        { provide: APP_GUARD, useExisting: KeyRequiredGuard },
      ],
    })
    class App {}
    const testing = await Test.createTestingModule({ imports: [App] }).compile();
    app = testing.createNestApplication({ logger: false });
    await app.listen(0, '127.0.0.1');
    url = `http://127.0.0.1:${(app.getHttpServer().address() as AddressInfo).port}`;
  });

  beforeEach(() => {
    store.isDown = false;
  });

  afterAll(() => app.close());

  function get(path: string, key?: string): request.Test {
    const sent = request(url).get(path);
    return key === undefined ? sent : sent.set('Authorization', `Bearer ${key}`);
  }

  it('200 passes the caller to the handler', async () => {
    await get('/private/me', ANNA).expect(200, { keyId: 'key_anna' });
  });

  it('401 missing_api_key without a key, with a challenge that names the realm', async () => {
    await get('/private/me').expect('WWW-Authenticate', 'Bearer realm="zoo"').expect(401, {
      code: 'missing_api_key',
      message: 'This operation needs an API key: send it as "Authorization: Bearer <API_KEY>".',
    });
  });

  it('401 missing_api_key with the key only in the URL', async () => {
    const response = await get(`/private/me?api_key=${ANNA}&access_token=${ANNA}`);
    expect(response.body.code).toBe('missing_api_key');
  });

  it('401 invalid_api_key with a bad key, with invalid_token in the challenge', async () => {
    await get('/private/me', BERT)
      .expect('WWW-Authenticate', 'Bearer realm="zoo", error="invalid_token"')
      .expect(401, { code: 'invalid_api_key', message: 'The API key is not valid.' });
  });

  describe('with scopes', () => {
    it('403 insufficient_scope, with a challenge that names all that are missing', async () => {
      await get('/scoped/write', DORA)
        .expect('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="write admin"')
        .expect(403, {
          code: 'insufficient_scope',
          message: 'The API key does not have the scopes write, admin.',
        });
    });

    it('403 on a route that has those of its controller, also one that is inherited', async () => {
      await get('/scoped/me', DORA)
        .expect('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="rooms:write"')
        .expect(403);
    });

    it.each([
      [
        'on a route whose scopes it has, which take the place of those of the controller',
        '/scoped/read',
        DORA,
      ],
      ['on a route for any key', '/scoped/any', DORA],
      ['on a public route', '/scoped/open', DORA],
      ['everywhere with a key that is not limited to scopes', '/scoped/write', ANNA],
    ])('200 %s', async (_, path, key) => {
      await get(path, key).expect(200);
    });

    it('403 on a route that names no scope, with a key that names some', async () => {
      await get('/private/me', DORA)
        .expect('WWW-Authenticate', 'Bearer error="insufficient_scope"')
        .expect(403, {
          code: 'insufficient_scope',
          message: 'The operation names no scope, so only a key without scopes may call it.',
        });
    });

    it('403 where a scope must be named, with a key that names none, and with one that names others', async () => {
      await get('/scoped/moderate', ANNA)
        .expect('WWW-Authenticate', 'Bearer error="insufficient_scope", scope="moderate"')
        .expect(403);
      await get('/scoped/only-moderate', DORA).expect(403);
      await get('/scoped/only-moderate', EVE).expect(200);
    });

    it('401 without a key, before 403', async () => {
      await get('/scoped/write').expect(401);
      await get('/scoped/write', BERT).expect(401);
    });

    it.each(['', 'two words', 'a"b', 'a\\b', 'é', 'a\r\nb'])(
      'refuses the scope %j, which a header cannot have',
      (scope) => {
        expect(() => RequireScope(scope)).toThrow(RangeError);
      },
    );
  });

  it.each([
    ['Bearer Bearer KEY', 'The API key is not valid: it has "Bearer" twice before it.'],
    ['Bearer "KEY"', 'The API key is not valid: it has " before it.'],
    ['Bearer <KEY>', 'The API key is not valid: it has < before it.'],
    ['Bearer xKEY', 'The API key is not valid.'],
  ])('401 for `Authorization: %s`, and what is before the key', async (header, message) => {
    const { body } = await get('/private/me').set('Authorization', header.replace('KEY', ANNA)).expect(401);
    expect(body).toMatchObject({ code: 'invalid_api_key', message });
  });

  it('500, never 401 or 200, when the store fails', async () => {
    store.isDown = true;
    await get('/private/me', ANNA).expect(500);
  });

  it('still knows the subject of a cached key when the store fails, and knows none for another key', async () => {
    await get('/private/me', ANNA).expect(200);
    store.isDown = true;
    presumed.length = 0;
    await get('/private/me', ANNA).expect(500);
    await get('/private/me', CARL).expect(500);
    await get('/private/me').expect(401);
    expect(presumed.map((caller) => caller?.keyId ?? null)).toEqual(['key_anna', null, null]);
  });

  it.each([
    ['without a key', undefined, false],
    ['with a key, which sets no caller', ANNA, false],
    ['even when the store fails', ANNA, true],
  ])('200 on a public route %s', async (_, key, isDown) => {
    store.isDown = isDown;
    await get('/private/open', key).expect(200, { keyId: null });
  });

  it('distinguishes a public controller from a private one that inherits the same handler', async () => {
    await get('/public/me').expect(200);
    await get('/private/me').expect(401);
    await get('/public/me').expect(200);
  });

  it('200 for a request that is exempt', async () => {
    await get('/private/me').set('X-Exempt', 'yes').expect(200, { keyId: null });
  });
});

describe('ApiKeysModule at the start', () => {
  const options = { store: new OneKeyStore(), prefix: 'ask_test_' };

  async function start(
    given: object,
    guards: readonly unknown[] = [CallerGuard, KeyRequiredGuard],
    controller: new () => object = PrivateRooms,
    use: (server: Server) => request.Test | undefined = () => undefined,
  ): Promise<void> {
    const testing = await Test.createTestingModule({
      imports: [ApiKeysModule.forRootAsync({ useFactory: () => given as typeof options })],
      controllers: [controller],
      providers: guards.map((guard) => ({ provide: APP_GUARD, useExisting: guard as never })),
    }).compile();
    const app = testing.createNestApplication({ logger: false });
    try {
      await app.init();
      await use(app.getHttpServer() as Server);
    } finally {
      await app.close();
    }
  }

  it.each([
    ['no store', { prefix: 'ask_test_' }, 'needs the option `store`'],
    ['a store that is none', { ...options, store: {} }, 'needs the option `store`'],
    ['no prefix', { store: options.store }, 'needs the option `prefix`'],
    ['an empty prefix', { ...options, prefix: '' }, 'needs the option `prefix`'],
  ])('refuses %s', async (_, given, message) => {
    await expect(start(given)).rejects.toThrow(message);
  });

  it.each([
    ['without CallerGuard', [KeyRequiredGuard]],
    ['before CallerGuard', [KeyRequiredGuard, CallerGuard]],
  ])('500, and says why in the log, with KeyRequiredGuard %s', async (_, guards) => {
    const logged = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    await start(options, guards, PrivateRooms, (server) => request(server).get('/private/me').expect(500));
    expect(String(logged.mock.calls[0])).toContain('KeyRequiredGuard needs CallerGuard');
    logged.mockRestore();
  });

  it('refuses a route with a scope that is not defined, and names both', async () => {
    await start({ ...options, scopes: SCOPES }, undefined, ScopedRooms);
    const some = { ...options, scopes: SCOPES.slice(0, 2) };
    await expect(start(some, undefined, ScopedRooms)).rejects.toThrow(
      "ScopedRooms.write: There is no scope write; there are read, rooms:write. Add defineScope('write')",
    );
  });
});
