import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { ApiKeyAuthenticator } from '#libs/api-keys';
import { Clock } from '../../shared/clock.js';
import type { ApiKey } from '../domain/api-key.js';
import { ApiKeyRepository } from '../domain/api-key.repository.js';
import { BanLifting } from '../domain/ban-lifting.js';
import { toStoredApiKey } from './stored-api-key.mapper.js';

const INTERVAL_MS = 1_000;
/** A change may be committed after one that carries a later time: each poll reads this far back. */
const OVERLAP_MS = 30_000;
/** How far back the first poll reads for bans that were lifted while no server ran. */
const FIRST_REACH_MS = 24 * 60 * 60 * 1_000;

/**
 * Tells this server every second what changed about the keys, whichever process changed it. It goes by the times of
 * the changes alone, never by this host's clock, which may differ from that of the host that made them.
 */
@Injectable()
export class KeyChangesPoller implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(KeyChangesPoller.name);
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | null = null;
  private isFailing = false;
  private latestChangeMs: number;
  private liftedBans = new Map<string, number>();

  constructor(
    private readonly keys: ApiKeyRepository,
    private readonly authenticator: ApiKeyAuthenticator,
    private readonly bans: BanLifting,
    private readonly clock: Clock,
  ) {
    this.latestChangeMs = clock.now() - FIRST_REACH_MS;
  }

  async onModuleInit(): Promise<void> {
    await this.poll();
    this.timer = setInterval(() => void this.poll(), INTERVAL_MS).unref();
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Never rejects. A poll that is called for while one is running is that one. */
  poll(): Promise<void> {
    this.running ??= this.readChanges()
      .then(
        () => this.succeeded(),
        (error: unknown) => this.failed(error),
      )
      .finally(() => {
        this.running = null;
      });
    return this.running;
  }

  private async readChanges(): Promise<void> {
    const asOfMs = this.clock.now();
    const changed = await this.keys.changedSince(this.latestChangeMs - OVERLAP_MS);
    this.authenticator.apply(changed.map(toStoredApiKey), asOfMs);
    await this.liftBans(changed);
    // Last of all, so that a ban that could not be lifted is read again.
    for (const { changedAtMs } of changed) this.latestChangeMs = Math.max(this.latestChangeMs, changedAtMs!);
  }

  private async liftBans(changed: readonly ApiKey[]): Promise<void> {
    const lifted = new Map<string, number>();
    for (const { id, banLiftedAtMs } of changed) {
      if (banLiftedAtMs === null) continue;
      if (this.liftedBans.get(id) !== banLiftedAtMs) await this.bans.liftBan(id, banLiftedAtMs);
      lifted.set(id, banLiftedAtMs);
    }
    this.liftedBans = lifted;
  }

  private succeeded(): void {
    if (this.isFailing) this.logger.log('Changes of API keys are taken over again.');
    this.isFailing = false;
  }

  private failed(error: unknown): void {
    if (!this.isFailing) {
      this.logger.error('Changes of API keys cannot be taken over; trying again every second.', error);
    }
    this.isFailing = true;
  }
}
