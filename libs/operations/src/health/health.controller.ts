import { Controller, Get, Header, ServiceUnavailableException, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { Public } from '@animal-store/api-keys';
import { OperationsOptions } from '../operations.options.js';
import { Readiness } from './readiness.js';

/** 503 of the readiness check. */
export class NotReady extends ServiceUnavailableException {
  static readonly when =
    'The readiness check finds that the server shuts down, or that its database does not respond.';
  static readonly fix = 'Send requests to another server meanwhile.';
  static readonly example = new NotReady('The database does not respond.');

  constructor(message: string) {
    super({ code: 'service_unavailable', message });
  }
}

/** For load balancers and orchestrators: needs no key, has no limit, and is not part of the API. */
@ApiExcludeController()
@Public()
@SkipThrottle()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly options: OperationsOptions,
  ) {}

  /** Restart the process when this does not respond. It does not check the database, as a restart would not help. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** Send requests elsewhere while the response is 503. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready() {
    const { shuttingDown, database, redis, redisNodes, jobs } = await this.readiness.check();
    if (shuttingDown) throw new NotReady('The server is shutting down.');
    if (database === 'down') throw new NotReady('The database does not respond.');
    const { version, commit } = this.options;
    const isDegraded = [database, redis].includes('degraded') || jobs === 'late';
    const up = [...redisNodes.values()].filter(Boolean).length;
    return {
      status: isDegraded ? 'degraded' : 'ok',
      database,
      redis,
      ...(redisNodes.size > 0 && { redisNodes: `${up} of ${redisNodes.size}` }),
      jobs,
      version,
      commit,
    };
  }
}
