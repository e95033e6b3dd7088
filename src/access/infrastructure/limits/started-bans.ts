import { Injectable, Optional } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { StartTimer } from '@animal-store/kernel';
import { type Ban, bannedOf, mainCaller } from '../../domain/ban.js';
import { instant } from '../../domain/api-key.js';
import type { KeyChange } from '../../domain/key-history.js';
import { BackgroundSaving } from '../background-saving.js';
import { TypeOrmKeyHistory } from '../keys/typeorm-key-history.js';

/** Few, as the embedded database does nothing else meanwhile. */
const BANS_A_SAVE = 100;
const REST_BETWEEN_SAVES_MS = 200;
/** Bounds the memory. Bans of one key are a minute apart or more, so only many keys at once have as many. */
const MAX_UNSAVED = 10_000;

const LIMITER = 'the rate limiter';

/** Adds each ban of a key that begins on this server to its history: a row a ban, none a refusal. */
@Injectable()
export class StartedBans extends BackgroundSaving {
  private readonly database: Database;
  private readonly history: Pick<TypeOrmKeyHistory, 'add'>;
  private unsaved: KeyChange[] = [];

  constructor({ background }: Database, @Optional() startTimer?: StartTimer) {
    super('Bans in the history of keys', startTimer);
    this.database = background;
    this.history = new TypeOrmKeyHistory(background);
  }

  /**
   * Addresses without a key have no history: whoever has many of them could fill the database with their bans. Nor has
   * what is banned apart for a key, as it may go on with the rest.
   */
  note(caller: string, { sinceMs, untilMs, refusals }: Ban): void {
    const { keyId } = bannedOf(caller);
    if (keyId === null || mainCaller(caller) !== caller) return;
    if (this.unsaved.length >= MAX_UNSAVED) return;
    const reason = `${refusals} of its requests within a minute were refused`;
    this.unsaved.push({
      subject: keyId,
      atMs: sinceMs,
      by: LIMITER,
      before: { bannedUntil: null },
      after: { bannedUntil: instant(untilMs), reason },
    });
  }

  protected async save(): Promise<number | null> {
    const saved = this.unsaved.slice(0, BANS_A_SAVE);
    if (saved.length === 0) return null;
    await this.database.run(async (transaction) => {
      for (const ban of saved) await this.history.add(ban, transaction);
    });
    this.unsaved.splice(0, saved.length);
    return this.unsaved.length > 0 ? REST_BETWEEN_SAVES_MS : null;
  }
}
