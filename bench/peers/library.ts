/** A Nest application with one of the libraries, or with what does the same elsewhere: `VARIANT` says which. */
import 'reflect-metadata';
import { createReadStream, statSync } from 'node:fs';
import { type AbstractHttpAdapter, APP_GUARD, APP_PIPE, NestFactory } from '@nestjs/core';
import {
  Body,
  Controller,
  type DynamicModule,
  Get,
  Header,
  Injectable,
  Module,
  NotFoundException,
  Post,
  type Provider,
  StreamableFile,
  type Type,
  ValidationPipe,
} from '@nestjs/common';
import { AuthGuard, PassportModule, PassportStrategy } from '@nestjs/passport';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { IsInt, IsString, Length } from 'class-validator';
import { Strategy } from 'passport-http-bearer';
import * as keys from '@animal-store/api-keys';
import { Deprecated, DeprecationModule } from '@animal-store/deprecation';
import { FastExpressAdapter } from '@animal-store/fast-express';
import { HttpErrorsModule } from '@animal-store/http-errors';
import {
  addressSubject,
  perDay,
  perMinute,
  PlanThrottlerGuard,
  RateLimitingModule,
} from '@animal-store/rate-limiting';
import { LIST } from './list.js';

const { PORT, VARIANT, KEY = '', FILE = '' } = process.env;
const ENDLESS = 1e9;
const SINCE = '2025-12-05';
const SUNSET = '2999-12-05';

class NewShip {
  @IsString()
  @Length(1, 100)
  name: string;

  @IsInt()
  berth: number;
}

@Controller()
class ShipsController {
  @Get('hello')
  hello(): string {
    return 'Hello';
  }

  @Post('ships')
  add(@Body() { name, berth }: NewShip): object {
    return { id: 1, name, berth };
  }

  @Get('list')
  list(): readonly object[] {
    return LIST;
  }

  @Get('file')
  file(): StreamableFile {
    return new StreamableFile(createReadStream(FILE), { length: statSync(FILE).size });
  }

  @Get('missing')
  missing(): never {
    throw new NotFoundException('There is no ship 1.');
  }

  @Get('deprecated')
  @Deprecated({ since: SINCE, sunset: SUNSET, successor: '/v2/ships', documentation: '/docs' })
  deprecated(): string {
    return 'Hello';
  }

  @Get('by-hand')
  @Header('Deprecation', '@1764892800')
  @Header('Sunset', 'Thu, 05 Dec 2999 00:00:00 GMT')
  @Header('Link', '</docs>; rel="deprecation", </docs>; rel="sunset", </v2/ships>; rel="successor-version"')
  byHand(): string {
    return 'Hello';
  }
}

interface Variant {
  readonly adapter?: () => AbstractHttpAdapter;
  readonly imports?: readonly (DynamicModule | Type)[];
  readonly guards?: readonly Type[];
  readonly providers?: readonly Provider[];
}

class OneKey extends keys.ApiKeyStore {
  private readonly key = {
    keyId: '1',
    hash: keys.hashApiKey(KEY),
    expiresAtMs: null,
    revokedAtMs: null,
  };

  async findByHash(hash: string): Promise<keys.StoredApiKey<object> | null> {
    return hash === this.key.hash ? this.key : null;
  }
}

@Injectable()
class BearerStrategy extends PassportStrategy(Strategy) {
  /** As the documentation of @nestjs/passport shows it, with a map instead of a database. */
  validate(token: string): object | null {
    return token === KEY ? { keyId: '1' } : null;
  }
}

const VARIANTS: Readonly<Record<string, () => Variant>> = {
  nest: () => ({}),
  'fast-express': () => ({ adapter: () => new FastExpressAdapter() }),
  fastify: () => ({ adapter: () => new FastifyAdapter() }),
  'api-keys': () => ({
    imports: [keys.ApiKeysModule.forRoot({ store: new OneKey(), prefix: 'acme_', isGlobal: true })],
    guards: [keys.CallerGuard, keys.KeyRequiredGuard],
  }),
  passport: () => ({
    imports: [PassportModule],
    providers: [BearerStrategy, { provide: APP_GUARD, useClass: AuthGuard('bearer') }],
  }),
  'rate-limiting': () => ({
    imports: [
      RateLimitingModule.forRoot({
        isGlobal: true,
        subjectOf: ({ socket }) => ({
          id: addressSubject(socket.remoteAddress),
          plan: [perMinute(ENDLESS), perDay(ENDLESS)],
          isAddress: true,
        }),
      }),
    ],
    guards: [PlanThrottlerGuard],
  }),
  'http-errors': () => ({ imports: [HttpErrorsModule.forRoot()] }),
};

const {
  adapter = () => new ExpressAdapter(),
  imports = [],
  guards = [],
  providers = [],
} = VARIANTS[VARIANT!]!();

@Module({ controllers: [ShipsController] })
class ShipsModule {}

@Module({
  // Routes for unknown paths come last.
  imports: [DeprecationModule.forRoot(), ShipsModule, ...imports],
  providers: [
    ...guards.map((guard) => ({ provide: APP_GUARD, useExisting: guard })),
    ...providers,
    { provide: APP_PIPE, useValue: new ValidationPipe({ transform: true, whitelist: true }) },
  ],
})
class AppModule {}

const app = await NestFactory.create(AppModule, adapter(), { logger: ['error'] });
await app.listen(PORT!, '127.0.0.1');
