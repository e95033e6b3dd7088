import { Controller, Get } from '@nestjs/common';
import { AnyKey, Caller } from '@animal-store/api-keys';
import { Operation, Tag } from '@animal-store/openapi';
import { perMinute, RateLimit } from '@animal-store/rate-limiting';
import { GetUsage } from '../application/usage/get-usage.use-case.js';
import { USAGE_REQUESTS } from '../domain/ban.js';
import type { KeyFacts } from '../key-facts.js';
import { toUsageResponse, UsageResponse } from './usage.response.js';

@Tag('Account', 'The keys of your account, and what it has used.')
@Controller({ path: 'usage', version: '1' })
export class UsageController {
  constructor(private readonly usage: GetUsage) {}

  @AnyKey()
  @Get()
  @RateLimit({ budget: USAGE_REQUESTS.name, windows: [perMinute(USAGE_REQUESTS.perMinute)], separate: true })
  @Operation({
    summary: 'See what is left',
    description: `The plan of your key, and what your account has used of it. It uses up nothing, and has ${USAGE_REQUESTS.perMinute} requests a minute of its own, which its headers show; it responds during a ban, too.`,
    response: { item: UsageResponse },
  })
  async getUsage(@Caller() { keyId, account, plan }: Caller<KeyFacts>): Promise<UsageResponse> {
    return toUsageResponse(keyId, plan, await this.usage.execute(keyId, account));
  }
}
