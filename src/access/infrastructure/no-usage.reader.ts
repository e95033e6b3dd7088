import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** For a service that counts nothing. */
@Injectable()
export class NoUsageReader extends UsageReader {
  constructor(private readonly clock: Clock) {
    super();
  }

  async usageOf(): Promise<KeyUsage> {
    const nextMidnightMs = (Math.floor(this.clock.now() / DAY_MS) + 1) * DAY_MS;
    return { minute: null, day: { used: 0, resetsAtMs: nextMidnightMs }, ban: null };
  }
}
