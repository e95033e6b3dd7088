import { Controller, Get, Header, ServiceUnavailableException, VERSION_NEUTRAL } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { SkipThrottle } from '@nestjs/throttler';
import { Public } from '@animal-store/api-keys';
import type { HealthResponse, ReadinessResponse } from './health.response.js';
import { Readiness } from './readiness.js';

/** For load balancers and orchestrators: needs no key, has no limit, and is not part of the API. */
@ApiExcludeController()
@Public()
@SkipThrottle()
@Controller({ path: 'health', version: VERSION_NEUTRAL })
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  /** Restart the process when this does not respond. It does not check the database, as a restart would not help. */
  @Get('live')
  @Header('Cache-Control', 'no-store')
  live(): HealthResponse {
    return { status: 'ok' };
  }

  /** Send requests elsewhere while the response is 503. */
  @Get('ready')
  @Header('Cache-Control', 'no-store')
  async ready(): Promise<ReadinessResponse> {
    const { shuttingDown, database, redis } = await this.readiness.check();
    if (shuttingDown) throw unavailable('The server is shutting down.');
    if (database === 'down') throw unavailable('The database does not respond.');
    return { status: redis === 'degraded' ? 'degraded' : 'ok', database, redis };
  }
}

function unavailable(message: string): ServiceUnavailableException {
  return new ServiceUnavailableException({ code: 'service_unavailable', message });
}
