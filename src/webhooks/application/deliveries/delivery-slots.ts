import { RANKS } from '../../domain/delivery.js';
import type { Webhook } from '../../domain/webhook.js';

/** How many requests a process sends at once. */
const SLOTS = 100;
/** How many of them are left to accounts' own events. */
const SLOTS_OF_OWN = 20;
/** How many of them an account may have. */
const MAX_OF_ACCOUNT = 10;
/** A host may have more, so that no account has all of them. */
const MAX_OF_HOST = 20;

export type SlotOwner = Pick<Webhook, 'account' | 'url'>;

interface Waiting {
  readonly account: string;
  readonly host: string;
  readonly isOwn: boolean;
  readonly begin: () => void;
}

/**
 * What a process does at once for webhooks, such as the requests that it sends. The account that has the fewest is
 * next, their own events before everybody's, so that an account with many or slow receivers does not delay the others.
 */
export class DeliverySlots {
  private readonly claimed = new Map<string, number>();
  /** The longest waiting first. */
  private readonly waiting = new Set<Waiting>();

  constructor(
    private free = SLOTS,
    private readonly ofOwn = SLOTS_OF_OWN,
  ) {}

  /**
   * Waits for a slot, and runs `work` on it.
   * @returns null, without having run it, when `signal` was aborted before
   */
  async on<T>(
    { account, url }: SlotOwner,
    rank: number,
    work: () => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T | null> {
    const owner = { account: `account ${account}`, host: `host ${new URL(url).hostname}` };
    if (!(await this.isClaimed(owner, rank <= RANKS.own, signal))) return null;
    try {
      return await work();
    } finally {
      this.count(owner, -1);
      this.startNext();
    }
  }

  private isClaimed(
    owner: Pick<Waiting, 'account' | 'host'>,
    isOwn: boolean,
    signal?: AbortSignal,
  ): Promise<boolean> {
    return new Promise((resolve) => {
      const abort = () => {
        this.waiting.delete(one);
        resolve(false);
      };
      const begin = () => {
        signal?.removeEventListener('abort', abort);
        resolve(true);
      };
      const one = { ...owner, isOwn, begin };
      if (signal?.aborted) return resolve(false);
      signal?.addEventListener('abort', abort, { once: true });
      this.waiting.add(one);
      this.startNext();
    });
  }

  private startNext(): void {
    for (const mustBeOwn of [true, false])
      while (this.free > (mustBeOwn ? 0 : this.ofOwn)) {
        const next = this.next(mustBeOwn);
        if (next === null) break;
        this.waiting.delete(next);
        this.count(next, 1);
        next.begin();
      }
  }

  private next(mustBeOwn: boolean): Waiting | null {
    let [next, fewest] = [null as Waiting | null, MAX_OF_ACCOUNT];
    for (const one of this.waiting) {
      const claimed = this.claimed.get(one.account) ?? 0;
      if (claimed >= fewest || (mustBeOwn && !one.isOwn)) continue;
      if ((this.claimed.get(one.host) ?? 0) >= MAX_OF_HOST) continue;
      [next, fewest] = [one, claimed];
      if (claimed === 0) break;
    }
    return next;
  }

  private count({ account, host }: Pick<Waiting, 'account' | 'host'>, change: number): void {
    this.free -= change;
    for (const owner of [account, host]) {
      const count = (this.claimed.get(owner) ?? 0) + change;
      if (count > 0) this.claimed.set(owner, count);
      else this.claimed.delete(owner);
    }
  }
}
