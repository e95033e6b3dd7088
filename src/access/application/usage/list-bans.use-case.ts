import { Injectable } from '@nestjs/common';
import { type Ban, type Banned, bannedOf } from '../../domain/ban.js';
import { ReadUsage } from './read-usage.js';

/** A ban of a key or of an address without one. */
export type ListedBan = Ban & Banned;

/** Lists who is banned, the latest ban first. */
@Injectable()
export class ListBans {
  constructor(private readonly usage: ReadUsage) {}

  /** @throws UsageUnavailable when the counts cannot be read. */
  async execute(): Promise<ListedBan[]> {
    const bans = [...(await this.usage.bans())];
    const listed = bans.map(([caller, ban]) => ({ ...bannedOf(caller), ...ban }));
    return listed.sort((a, b) => b.sinceMs - a.sinceMs);
  }
}
