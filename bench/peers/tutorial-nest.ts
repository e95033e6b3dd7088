/**
 * Nest as its tutorials write it: TypeORM repositories, a global ValidationPipe, ClassSerializerInterceptor, an
 * interceptor that logs, guards with dependencies, @nestjs/throttler with two windows, helmet. Only what the answers
 * must be the same for is bent: the throttler counts by key, and its headers get the names of the service's.
 */
import 'reflect-metadata';
import { createHash, randomUUID } from 'node:crypto';
import {
  type ArgumentsHost,
  BadRequestException,
  Body,
  type CallHandler,
  type CanActivate,
  Catch,
  ClassSerializerInterceptor,
  ConsoleLogger,
  Controller,
  type ExceptionFilter,
  type ExecutionContext,
  Get,
  Header,
  HttpException,
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
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ThrottlerGuard, ThrottlerModule } from '@nestjs/throttler';
import { InjectRepository, TypeOrmModule } from '@nestjs/typeorm';
import type { Database } from 'better-sqlite3';
import { Expose, Type } from 'class-transformer';
import { IsIn, IsInt, IsOptional, IsString, Length, Max, Min } from 'class-validator';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type Observable, tap } from 'rxjs';
import { Column, Entity, MoreThan, PrimaryColumn, PrimaryGeneratedColumn, Repository } from 'typeorm';

const STATUSES = ['available', 'pending', 'sold'];
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

@Entity('pets')
class Animal {
  @Expose()
  @PrimaryGeneratedColumn()
  id: number;

  @Expose()
  @Column()
  name: string;

  @Expose()
  @Column({ name: 'category_id' })
  categoryId: number;

  @Expose()
  @Column()
  status: string;
}

@Entity('api_keys')
class ApiKey {
  @PrimaryColumn()
  id: string;

  @Column()
  hash: string;

  @Column({ name: 'per_minute', type: 'integer', nullable: true })
  perMinute: number | null;

  @Column({ name: 'per_day', type: 'integer', nullable: true })
  perDay: number | null;

  @Column({ name: 'expires_at', type: 'integer', nullable: true })
  expiresAt: number | null;

  @Column({ name: 'revoked_at', type: 'integer', nullable: true })
  revokedAt: number | null;
}

class ListAnimalsDto {
  @IsOptional()
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100)
  limit = 20;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;

  @IsOptional()
  @IsString()
  cursor?: string;
}

class CreateAnimalDto {
  @IsString()
  @Length(1, 255)
  name: string;

  @IsInt()
  categoryId: number;

  @IsOptional()
  @IsIn(STATUSES)
  status?: string;
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
    if (!key || key.revokedAt || (key.expiresAt && key.expiresAt <= Date.now())) {
      throw new UnauthorizedException('invalid_api_key');
    }
    request.apiKey = key;
    return true;
  }
}

@Injectable()
class KeyThrottlerGuard extends ThrottlerGuard {
  protected override getTracker(request: KeyedRequest): Promise<string> {
    return Promise.resolve(request.apiKey!.id);
  }
}

@Injectable()
class LoggingInterceptor implements NestInterceptor {
  private readonly logger = new Logger('HTTP');

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<KeyedRequest>();
    const response = context.switchToHttp().getResponse<Response>();
    const requestId = request.get('X-Request-Id') ?? randomUUID();
    const startedAtMs = Date.now();
    response.setHeader('X-Request-Id', requestId);
    return next.handle().pipe(
      tap(() => {
        const { method, apiKey } = request;
        const route = (request.route as { path: string }).path;
        const durationMs = Date.now() - startedAtMs;
        this.logger.log({
          requestId,
          keyId: apiKey?.id,
          method,
          route,
          status: response.statusCode,
          durationMs,
        });
      }),
    );
  }
}

/** The throttler sets `X-RateLimit-*` for the minute and `X-RateLimit-*-day`; the newer fields are made of these. */
@Injectable()
class RateLimitFieldsInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const response = context.switchToHttp().getResponse<Response>();
    const windows = ['', '-day'].map((suffix) =>
      ['Limit', 'Remaining', 'Reset'].map((name) =>
        String(response.getHeader(`X-RateLimit-${name}${suffix}`)),
      ),
    );
    const [minute, day] = windows as [string[], string[]];
    response.setHeader('RateLimit-Policy', `"minute";q=${minute[0]};w=60, "day";q=${day[0]};w=86400`);
    response.setHeader('RateLimit', `"minute";r=${minute[1]};t=${minute[2]}, "day";r=${day[1]};t=${day[2]}`);
    return next.handle();
  }
}

@Catch(HttpException)
class HttpExceptionFilter implements ExceptionFilter {
  catch(exception: HttpException, host: ArgumentsHost): void {
    const status = exception.getStatus();
    const response = host.switchToHttp().getResponse<Response>();
    response.status(status).json({ code: exception.message, message: exception.message, status });
  }
}

@Injectable()
class AnimalsService {
  constructor(@InjectRepository(Animal) private readonly animals: Repository<Animal>) {}

  findPage(status: string | undefined, afterId: number, take: number): Promise<Animal[]> {
    const where = { id: MoreThan(afterId), ...(status ? { status } : {}) };
    return this.animals.find({ where, order: { id: 'ASC' }, take });
  }

  async findOne(id: number): Promise<Animal> {
    const animal = await this.animals.findOneBy({ id });
    if (!animal) throw new NotFoundException('pet_not_found');
    return animal;
  }

  create(animal: CreateAnimalDto): Promise<Animal> {
    const { name, categoryId, status = 'available' } = animal;
    return this.animals.save(this.animals.create({ name, categoryId, status }));
  }
}

@Controller('v1/pets')
class AnimalsController {
  constructor(private readonly animals: AnimalsService) {}

  @Get()
  @Header('Cache-Control', 'private, no-cache')
  @Header('Vary', 'Authorization')
  async findAll(
    @Query() { status, limit, cursor }: ListAnimalsDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Animal[]> {
    const page = await this.animals.findPage(status, cursor ? decodeCursor(cursor, status) : 0, limit + 1);
    if (page.length <= limit) return page;
    page.pop();
    const parameters = new URLSearchParams({ limit: String(limit), ...(status ? { status } : {}) });
    parameters.set('cursor', encodeCursor(page.at(-1)!.id, status));
    response.setHeader('Link', `</v1/pets?${parameters.toString()}>; rel="next"`);
    return page;
  }

  @Get(':petId')
  @Header('Cache-Control', 'private, no-cache')
  @Header('Vary', 'Authorization')
  @Header('Deprecation', '@1764892800')
  @Header('Sunset', 'Thu, 05 Dec 2030 00:00:00 GMT')
  @Header(
    'Link',
    '</docs>; rel="deprecation", </docs>; rel="sunset", </v1/pets?status=available>; rel="successor-version"',
  )
  findOne(@Param('petId', ParseIntPipe) petId: number): Promise<Animal> {
    return this.animals.findOne(petId);
  }

  @Post()
  async create(
    @Body() body: CreateAnimalDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Animal> {
    const animal = await this.animals.create(body);
    response.setHeader('Location', `/v1/pets/${animal.id}`);
    return animal;
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({
      type: 'better-sqlite3',
      database: process.env.DATABASE_URL!.replace('sqlite:', ''),
      entities: [Animal, ApiKey],
      enableWAL: true,
      prepareDatabase: (connection: Database) => void connection.pragma('synchronous = FULL'),
    }),
    TypeOrmModule.forFeature([Animal, ApiKey]),
    ThrottlerModule.forRoot([
      { name: 'default', ttl: MINUTE_MS, limit: 1_000_000_000 },
      { name: 'day', ttl: DAY_MS, limit: 1_000_000_000 },
    ]),
  ],
  controllers: [AnimalsController],
  providers: [
    AnimalsService,
    { provide: APP_GUARD, useClass: ApiKeyGuard },
    { provide: APP_GUARD, useClass: KeyThrottlerGuard },
    { provide: APP_INTERCEPTOR, useClass: LoggingInterceptor },
    { provide: APP_INTERCEPTOR, useClass: RateLimitFieldsInterceptor },
    { provide: APP_INTERCEPTOR, useClass: ClassSerializerInterceptor },
    {
      provide: APP_PIPE,
      useValue: new ValidationPipe({ transform: true, whitelist: true, forbidNonWhitelisted: true }),
    },
    { provide: APP_FILTER, useClass: HttpExceptionFilter },
  ],
})
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule, {
  logger: new ConsoleLogger({ json: true, colors: false }),
});
app.use(await securityHeaders());
app.set('etag', 'strong');
app.getHttpServer().keepAliveTimeout = 65_000;
app.enableShutdownHooks();
await app.listen(Number(process.env.PORT), '127.0.0.1');

/** Helmet; where it is not installed, the one header of it that the service sends too. */
async function securityHeaders(): Promise<RequestHandler> {
  const name: string = 'helmet';
  try {
    const { default: helmet } = (await import(name)) as { default: () => RequestHandler };
    return helmet();
  } catch {
    return (_request: Request, response: Response, next: NextFunction) => {
      response.setHeader('X-Content-Type-Options', 'nosniff');
      next();
    };
  }
}

function encodeCursor(afterId: number, status: string | undefined): string {
  const cursor = Buffer.alloc(16);
  cursor.writeBigInt64BE(BigInt(afterId));
  const seal = createHash('sha256')
    .update(`/v1/pets?status=${status ?? ''}#${afterId}`)
    .digest();
  seal.copy(cursor, 8, 0, 8);
  return cursor.toString('base64url');
}

function decodeCursor(text: string, status: string | undefined): number {
  const afterId = Number(Buffer.from(text.padEnd(22, 'A'), 'base64url').readBigInt64BE());
  if (encodeCursor(afterId, status) !== text) throw new BadRequestException('invalid_cursor');
  return afterId;
}
