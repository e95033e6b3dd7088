import { Inject, Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '@animal-store/kernel';
import {
  type DeprecatedCallRepository,
  type DeprecatedCalls,
  furtherKeysOf,
  WITHOUT_KEY,
} from '../../domain/deprecated-calls.js';
import { BackgroundSaving } from '../background-saving.js';
import { BackgroundStorage } from '../background-storage.js';

/** The keys of an account that are counted apart in a day, so that none hides the calls of another account. */
const MAX_KEYS = 20;
/** Bounds the memory of a day. Calls of further accounts are counted together. */
const MAX_ACCOUNTS = 10_000;

interface Unsaved extends Omit<DeprecatedCalls, 'calls'> {
  calls: number;
}

/** Counts the calls of deprecated operations, and saves the counts at most a second later. */
@Injectable()
export class DeprecatedCallCounter extends BackgroundSaving {
  /** The calls of the day, by key and operation. A count that is saved begins again at 0. */
  private today = new Map<string, Map<string, Unsaved>>();
  /** The keys of each account that are counted apart today. */
  private keys = new Map<string | null, Set<string>>();
  private day = 0;
  /** The counts of earlier days that could not be saved yet. */
  private earlier: Unsaved[] = [];

  constructor(
    @Inject(BackgroundStorage)
    private readonly storage: { readonly deprecatedCalls: Pick<DeprecatedCallRepository, 'add'> },
    private readonly clock: Clock,
  ) {
    super('Calls of deprecated operations');
  }

  /** @param caller null without a valid key */
  count(operation: string, caller: { readonly keyId: string; readonly account: string } | null): void {
    const day = Math.floor(this.clock.now() / DAY_MS);
    if (day !== this.day) this.begin(day);
    const [account, keyId] = caller ? [caller.account, caller.keyId] : [null, WITHOUT_KEY];
    const calls = this.today.get(keyId)?.get(operation) ?? this.callsOf(operation, account, keyId);
    calls.calls++;
  }

  private callsOf(operation: string, ofAccount: string | null, ofKey: string): Unsaved {
    const hasRoom = this.keys.has(ofAccount) || this.keys.size < MAX_ACCOUNTS;
    const account = hasRoom ? ofAccount : null;
    const keys = this.keys.get(account) ?? new Set();
    const isSeparate = hasRoom && (keys.has(ofKey) || keys.size < MAX_KEYS);
    if (isSeparate) this.keys.set(account, keys.add(ofKey));
    const keyId = isSeparate ? ofKey : furtherKeysOf(account);
    const ofThisKey = this.today.get(keyId) ?? new Map<string, Unsaved>();
    const calls = ofThisKey.get(operation) ?? { operation, account, keyId, day: this.day, calls: 0 };
    this.today.set(keyId, ofThisKey.set(operation, calls));
    return calls;
  }

  private begin(day: number): void {
    this.earlier = this.unsaved();
    this.today = new Map();
    this.keys = new Map();
    this.day = day;
  }

  private unsaved(): Unsaved[] {
    const today = [...this.today.values()].flatMap((byOperation) => [...byOperation.values()]);
    return [...this.earlier, ...today].filter(({ calls }) => calls > 0);
  }

  protected async save(): Promise<null> {
    const unsaved = this.unsaved();
    if (unsaved.length === 0) return null;
    const saved = unsaved.map((calls) => ({ ...calls }));
    await this.storage.deprecatedCalls.add(saved);
    // More may have been counted meanwhile.
    for (const [index, { calls }] of saved.entries()) unsaved[index]!.calls -= calls;
    this.earlier = this.earlier.filter(({ calls }) => calls > 0);
    return null;
  }
}
