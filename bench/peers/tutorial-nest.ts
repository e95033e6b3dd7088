/**
 * Nest as its tutorials write it: TypeORM repositories, a global ValidationPipe, ClassSerializerInterceptor, an
 * interceptor that logs, a guard with dependencies, @nestjs/throttler with two windows, helmet. Paging uses the
 * cursors of the service.
 */
import 'reflect-metadata';
import { createHash, randomUUID } from 'node:crypto';
import { ThrottlerStorageRedisService } from '@nest-lab/throttler-storage-redis';
import {
  Body,
  type CallHandler,
  type CanActivate,
  ClassSerializerInterceptor,
  ConsoleLogger,
  Controller,
  type ExecutionContext,
  Get,
  Header,
  Injectable,
  Logger,
  Module,
  type NestInterceptor,
  NotFoundException,
  Param,
  ParseIntPipe,
  Post,
  Query,
  Res,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { InjectRepository, TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import type { Database } from 'better-sqlite3';
import { Expose, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import type { Request, Response } from 'express';
import helmet from 'helmet';
import { type Observable, tap } from 'rxjs';
import { Column, Entity, MoreThan, PrimaryColumn, PrimaryGeneratedColumn, Repository } from 'typeorm';
import { encodeCursor } from './by-hand/input.js';

const STATUSES = ['available', 'pending', 'sold'];
const DEPRECATION_LINKS =
  '</docs/deprecations>; rel="deprecation", </docs/deprecations>; rel="sunset", </v1/pets>; rel="successor-version"';

@Entity('pets')
class Animal {
  @Expose() @PrimaryGeneratedColumn() id: number;
  @Expose() @Column() name: string;
  @Expose() @Column({ name: 'category_id' }) categoryId: number;
  @Expose() @Column() status: string;
}

@Entity('api_keys')
class ApiKey {
  @PrimaryColumn() id: string;
  @Column() hash: string;
  @Column({ name: 'expires_at', type: 'integer', nullable: true }) expiresAt: number | null;
  @Column({ name: 'revoked_at', type: 'integer', nullable: true }) revokedAt: number | null;
}

class ListAnimalsDto {
  @IsOptional() @Type(() => Number) @IsInt() @Min(1) @Max(100) limit = 20;
  @IsOptional() @IsIn(STATUSES) status?: string;
  @IsOptional() @Length(22, 22) cursor?: string;
}

class CreateAnimalDto {
  @IsString() @Length(1, 255) name: string;
  @IsInt() categoryId: number;
  @IsOptional() @IsIn(STATUSES) status?: string;
}

type KeyedRequest = Request & { apiKey?: ApiKey };

@Injectable()
class ApiKeyGuard implements CanActivate {
  constructor(@InjectRepository(ApiKey) private readonly keys: Repository<ApiKey>) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    const [scheme, token] = request.headers.authorization?.split(' ') ?? [];
    if (scheme !== 'Bearer' || !token) throw new UnauthorizedException('missing_api_key');
    const hash = createHash('sha256').update(token).digest('hex');
    const key = await this.keys.findOneBy({ hash });
    const isInactive = !key || key.revokedAt || (key.expiresAt && key.expiresAt <= Date.now());
    if (isInactive) throw new UnauthorizedException('invalid_api_key');
    request.apiKey = key;
    return true;
  }
}

@Injectable()
class LoggingInterceptor implements NestInterceptor {
  private readonly logger = new Logger('HTTP');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const [request, response] = context.getArgs<[KeyedRequest, Response]>();
    const requestId = request.get('X-Request-Id') ?? randomUUID();
    const startedAtMs = Date.now();
    response.setHeader('X-Request-Id', requestId);
    return next.handle().pipe(
      tap(() => {
        const { method, apiKey } = request;
        const route = (request.route as { path: string }).path;
        const { statusCode: status } = response;
        const durationMs = Date.now() - startedAtMs;
        this.logger.log({ requestId, keyId: apiKey?.id, method, route, status, durationMs });
      }),
    );
  }
}

@Controller('v1/pets')
class AnimalsController {
  constructor(@InjectRepository(Animal) private readonly animals: Repository<Animal>) {}

  @Get()
  async findAll(
    @Query() { status, limit, cursor }: ListAnimalsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Animal[]> {
    const afterId = cursor ? Number(Buffer.from(cursor, 'base64url').readBigInt64BE()) : 0;
    const where = { id: MoreThan(afterId), ...(status ? { status } : {}) };
    const page = await this.animals.find({ where, order: { id: 'ASC' }, take: limit + 1 });
    if (page.length <= limit) return page;
    page.pop();
    const parameters = new URLSearchParams({ limit: String(limit), ...(status ? { status } : {}) });
    parameters.set('cursor', encodeCursor(status ?? null, BigInt(page.at(-1)!.id)));
    response.setHeader('Link', `</v1/pets?${parameters.toString()}>; rel="next"`);
    return page;
  }

  @Get(':petId')
  @Header('Deprecation', '@1795132800')
  @Header('Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT')
  @Header('Link', DEPRECATION_LINKS)
  async findOne(@Param('petId', ParseIntPipe) id: number): Promise<Animal> {
    const animal = await this.animals.findOneBy({ id });
    if (!animal) throw new NotFoundException('pet_not_found');
    return animal;
  }

  @Post()
  async create(
    @Body() { name, categoryId, status = 'available' }: CreateAnimalDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Animal> {
    const animal = await this.animals.save(this.animals.create({ name, categoryId, status }));
    response.setHeader('Location', `/v1/pets/${animal.id}`);
    return animal;
  }
}

const { DATABASE_URL = '', REDIS_URL } = process.env;
const database: TypeOrmModuleOptions = DATABASE_URL.startsWith('postgres:')
  ? { type: 'postgres', url: DATABASE_URL, parseInt8: true }
  : {
      ...{ type: 'better-sqlite3', database: DATABASE_URL.replace('sqlite:', ''), enableWAL: true },
      prepareDatabase: (connection: Database) => void connection.pragma('synchronous = FULL'),
    };
const throttlers = [
  { name: 'default', ttl: 60_000, limit: 1_000_000_000 },
  { name: 'day', ttl: 86_400_000, limit: 1_000_000_000 },
];

@Module({
  imports: [
    TypeOrmModule.forRoot({ ...database, entities: [Animal, ApiKey] }),
    TypeOrmModule.forFeature([Animal, ApiKey]),
    ThrottlerModule.forRoot({
      throttlers,
      ...(REDIS_URL && { storage: new ThrottlerStorageRedisService(REDIS_URL) }),
    }),
  ],
  controllers: [AnimalsController],
  providers: [
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: ThrottlerGuard },
    { provide: APP_INTERCEPTOR, useClass: LoggingInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
    {
      provide: APP_PIPE,
      useValue: new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
  ],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: new ConsoleLogger({ json: true, colors: false }),
});
app.use(helmet());
app.set('etag', 'strong');
await app.listen(Number(process.env['PORT']), '127.0.0.1');
