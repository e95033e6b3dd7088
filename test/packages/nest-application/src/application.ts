/** A plain Nest application that uses every library. The test compiles it as ES modules and as CommonJS. */
import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import {
  Body,
  Controller,
  Get,
  type INestApplication,
  Module,
  NotFoundException,
  Post,
  type Type,
  UseGuards,
  Version,
  VersioningType,
} from '@nestjs/common';
import { APP_GUARD, NestFactory } from '@nestjs/core';
import { MessagePattern, type MicroserviceOptions, Transport } from '@nestjs/microservices';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { WsAdapter } from '@nestjs/platform-ws';
import { SkipThrottle } from '@nestjs/throttler';
import { SubscribeMessage, WebSocketGateway } from '@nestjs/websockets';
import {
  ApiKeysModule,
  ApiKeyStore,
  Caller,
  CallerGuard,
  callerOf,
  generateApiKey,
  hashApiKey,
  KeyRequiredGuard,
  Public,
  type StoredApiKey,
} from '@animal-store/api-keys';
import {
  announceDeprecation,
  Deprecated,
  DeprecationMarkGuard,
  DeprecationModule,
} from '@animal-store/deprecation';
import { FastExpressAdapter } from '@animal-store/fast-express';
import { HttpErrorsModule } from '@animal-store/http-errors';
import {
  addressSubject,
  FallbackRateLimitStore,
  MemoryRateLimitStore,
  PlanThrottlerGuard,
  RateLimit,
  RateLimitingModule,
  type RateLimitStore,
  perMinute,
  type RatePlan,
  RedisRateLimitStore,
} from '@animal-store/rate-limiting';

/** How the test starts it. */
interface Settings {
  readonly adapter: 'express' | 'fastify' | 'fast-express';
  readonly redisUrl: string;
  /** Whether the store in Redis is used as it is. */
  readonly withoutFallback: boolean;
  readonly versioning: 'uri' | 'header';
  readonly globalPrefix: string;
  /** That of PostgreSQL; empty for SQLite. */
  readonly databaseUrl: string;
}
export const settings = JSON.parse(process.env.SETTINGS ?? '{}') as Settings;

/** What this application stores with its keys: no account. */
interface KeyFacts {
  team: string;
  scopes: string[];
  plan: RatePlan;
}

const HOUR = { name: 'hour', limit: 3, seconds: 3_600 };
const PLANS: Record<string, RatePlan> = {
  blue: [perMinute(1_000)],
  slow: [perMinute(3)],
  banned: [perMinute(2)],
  listed: [{ name: 'burst', limit: 2, seconds: 10 }, HOUR, { name: 'today', limit: 9, seconds: 'day' }],
  unlimited: [],
  wrong: { perHour: 3 } as unknown as RatePlan,
};

const KEYS = new Map<string, StoredApiKey<KeyFacts>>();
const texts: Record<string, string> = {};
for (const [team, plan] of Object.entries(PLANS)) {
  texts[team] = generateApiKey('acme_');
  const hash = hashApiKey(texts[team]);
  const state = { hash, expiresAtMs: null, revokedAtMs: null };
  KEYS.set(hash, { keyId: `key-${team}`, team, scopes: ['read'], plan, ...state });
}

class Keys extends ApiKeyStore<KeyFacts> {
  async findByHash(hash: string): Promise<StoredApiKey<KeyFacts> | null> {
    return KEYS.get(hash) ?? null;
  }
}

@Controller({ path: 'ships', version: '1' })
class ShipsController {
  @Get()
  list(@Caller() caller: Caller<KeyFacts>): object {
    return { team: caller.team, scopes: caller.scopes };
  }

  @Post()
  launch(@Body() ship: object): object {
    return ship;
  }

  @Get('missing')
  missing(): never {
    throw new NotFoundException('No such ship.');
  }

  @Get('broken')
  broken(): never {
    throw new Error('The hull is leaking.');
  }

  @RateLimit({ cost: 3 })
  @Get('report')
  report(): string {
    return 'report';
  }

  @RateLimit({ cost: ({ query }: { query: { days?: string } }) => Number(query.days ?? 0) })
  @Get('voyages')
  voyages(): string {
    return 'voyages';
  }

  @RateLimit({ budget: 'search', windows: [HOUR] })
  @Get('search')
  search(): string {
    return 'search';
  }

  @RateLimit({ budget: 'search', windows: [HOUR] })
  @Get('suggestions')
  suggestions(): string {
    return 'suggestions';
  }

  @SkipThrottle()
  @Get('skipped')
  skipped(): string {
    return 'skipped';
  }

  @Deprecated({ since: '2020-01-01', sunset: '2999-01-01', successor: '/v1/ships' })
  @Get('retiring')
  retiring(): string {
    return 'retiring';
  }

  @Deprecated({ since: '2020-01-01', sunset: '2021-01-01' })
  @Get('removed')
  removed(): string {
    return 'removed';
  }
}

@Public()
@Controller({ path: 'open', version: '1' })
class OpenController {
  @Get()
  open(@Caller() caller: Caller | null): object {
    return { caller };
  }

  @Version('2')
  @Get('newer')
  newer(): string {
    return 'newer';
  }
}

@Controller({ path: 'ferries', version: '1' })
class FerriesController {
  @Deprecated({ since: '2020-01-01', successor: '/v1/ships' })
  @Get('old')
  old(): string {
    return 'old';
  }
}

/** It guards itself, and needs the modules of the guards to be global. */
@Public()
@SkipThrottle()
@Controller('feature')
class FeatureController {
  @SkipThrottle({ default: false })
  @UseGuards(CallerGuard, PlanThrottlerGuard)
  @Get()
  feature(): string {
    return 'feature';
  }
}

@Module({ controllers: [FeatureController] })
class FeatureModule {}

@UseGuards(CallerGuard, PlanThrottlerGuard, KeyRequiredGuard)
@WebSocketGateway({ path: '/socket' })
class ShipsGateway {
  /** What the package ws leaves out, and Socket.IO does. */
  handleConnection(client: { request?: IncomingMessage }, request: IncomingMessage): void {
    client.request = request;
  }

  @SubscribeMessage('hail')
  hail(): object {
    return { event: 'hail', data: 'ahoy' };
  }
}

@Controller()
class MessagesController {
  @MessagePattern('hail')
  hail(): string {
    return 'ahoy';
  }

  @MessagePattern('sink')
  sink(): never {
    throw new Error('The hull is leaking.');
  }
}

async function storeOf(redisUrl: string): Promise<RateLimitStore> {
  const local = new MemoryRateLimitStore({ bans: { minRefusals: 3 } });
  if (redisUrl === '') return local;
  if (settings.withoutFallback) return RedisRateLimitStore.at(redisUrl);
  const remote = await RedisRateLimitStore.at(redisUrl, { mirror: local, bans: { minRefusals: 3 } });
  const store = new FallbackRateLimitStore(remote, local, { probeEveryMs: 50 });
  await store.start();
  return store;
}

@Module({
  imports: [
    ApiKeysModule.forRoot({ store: new Keys(), prefix: 'acme_', isGlobal: true }),
    RateLimitingModule.forRootAsync({
      isGlobal: true,
      useFactory: async () => ({
        store: await storeOf(settings.redisUrl),
        subjectOf: (request) => {
          const caller = callerOf<KeyFacts>(request);
          const subject = caller && { id: caller.keyId, plan: caller.plan };
          if (subject) return caller.team === 'listed' ? Promise.resolve(subject) : subject;
          const { 'x-address': address = request.socket.remoteAddress } = request.headers;
          const id = addressSubject(String(address));
          return { id, plan: [perMinute(10_000)], isAddress: true };
        },
      }),
    }),
    DeprecationModule.forRoot(),
    FeatureModule,
    HttpErrorsModule.forRootAsync({
      useFactory: () => ({
        beforeSend: announceDeprecation,
        onUnexpected: (error) => console.error(String(error)),
      }),
    }),
  ],
  controllers: [ShipsController, FerriesController, OpenController, MessagesController],
  providers: [
    ShipsGateway,
    { provide: APP_GUARD, useClass: DeprecationMarkGuard },
    { provide: APP_GUARD, useExisting: CallerGuard },
    { provide: APP_GUARD, useExisting: PlanThrottlerGuard },
    { provide: APP_GUARD, useExisting: KeyRequiredGuard },
  ],
})
export class AppModule {}

function adapter(): ExpressAdapter | FastifyAdapter {
  if (settings.adapter === 'fastify') return new FastifyAdapter();
  return settings.adapter === 'express' ? new ExpressAdapter() : new FastExpressAdapter();
}

export async function start(module: Type, prepare?: (app: INestApplication) => void): Promise<void> {
  const app: INestApplication = await NestFactory.create(module, adapter(), { logger: ['error', 'warn'] });
  if (settings.globalPrefix !== '') app.setGlobalPrefix(settings.globalPrefix);
  app.enableVersioning(
    settings.versioning === 'uri'
      ? { type: VersioningType.URI }
      : { type: VersioningType.HEADER, header: 'X-Version' },
  );
  app.useWebSocketAdapter(new WsAdapter(app));
  const messages = app.connectMicroservice<MicroserviceOptions>(
    { transport: Transport.TCP, options: { host: '127.0.0.1', port: 0 } },
    { inheritAppConfig: true },
  );
  prepare?.(app);
  await app.startAllMicroservices();
  await app.listen(0, '127.0.0.1');
  const { port } = messages.unwrap<{ address(): { port: number } }>().address();
  console.log(JSON.stringify({ url: await app.getUrl(), tcpPort: port, keys: texts }));
  process.on('SIGTERM', () => void app.close().then(() => process.exit(0)));
}
