import { Injectable, Optional } from '@nestjs/common';
import { Database } from '@animal-store/database';
import type { StartTimer } from '@animal-store/kernel';
import { type Ban, bannedOf, mainSubject } from '../../domain/ban.js';
import { instant } from '../../domain/api-key.js';
import type { KeyChange } from '../../domain/key-history.js';
import { BackgroundSaving } from '../background-saving.js';
import { TypeOrmKeyHistory } from '../keys/typeorm-key-history.js';

/** Few, as the embedded database does nothing else meanwhile. */
const BANS_A_SAVE = 100;
const REST_BETWEEN_SAVES_MS = 200;
/** Bounds the memory. Bans of one account are a minute apart or more, so only many accounts at once have as many. */
const MOST_UNSAVED = 10_000;

const LIMITER = 'the rate limiter';

/** Adds each ban of an account that begins on this server to the history of the account: a row a ban, none a refusal. */
@Injectable()
export class BeganBans extends BackgroundSaving {
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
   * what is counted apart for an account, as it may go on with the rest.
   * @param keyId of the request that began it
   */
  note(subject: string, { sinceMs, untilMs, refusals }: Ban, keyId: string | null): void {
    if (bannedOf(subject).account === null || mainSubject(subject) !== subject) return;
    if (this.unsaved.length >= MOST_UNSAVED) return;
    const reason = `${refusals} of its requests within a minute were refused, the last one with ${keyId}`;
    this.unsaved.push({
      subject,
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
