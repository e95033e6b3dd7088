import { Injectable } from '@nestjs/common';
import { Clock } from '@animal-store/kernel';
import { ApiKeyRepository } from '../../domain/api-key.repository.js';
import { type Ban, type Banned, bannedOf } from '../../domain/ban.js';
import { ReadUsage } from './read-usage.js';

/** A ban of an account or of an address without a key. */
export type ListedBan = Ban &
  Banned & {
    /** How many keys of the account work but for the ban; null for an address. */
    readonly activeKeys: number | null;
  };

/** Lists who is banned, the latest ban first. */
@Injectable()
export class ListBans {
  constructor(
    private readonly usage: ReadUsage,
    private readonly keys: ApiKeyRepository,
    private readonly clock: Clock,
  ) {}

  /** @throws UsageUnknown when the counts cannot be read. */
  async execute(): Promise<ListedBan[]> {
    const listed: ListedBan[] = [];
    for (const [subject, ban] of await this.usage.bans()) {
      const who = bannedOf(subject);
      const { account } = who;
      const filter = account !== null && { account, activeAtMs: this.clock.now() };
      listed.push({ ...who, activeKeys: filter ? await this.keys.count(filter) : null, ...ban });
    }
    return listed.sort((a, b) => b.sinceMs - a.sinceMs);
  }
}
