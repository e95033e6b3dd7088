import { Inject, Injectable, Optional } from '@nestjs/common';
import { Clock, DAY_MS, type StartTimer } from '@animal-store/kernel';
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
  /** The calls of the day, by account, key and operation. A count that is saved begins again at 0. */
  private today = new Map<string | null, Map<string, Map<string, Unsaved>>>();
  private day = 0;
  /** Those of earlier days that could not be saved yet. */
  private earlier: Unsaved[] = [];

  constructor(
    @Inject(BackgroundStorage)
    private readonly storage: { readonly deprecatedCalls: Pick<DeprecatedCallRepository, 'add'> },
    private readonly clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    super('Calls of deprecated operations', startTimer);
  }

  /** @param caller null without a valid key */
  count(operation: string, caller: { readonly keyId: string; readonly account: string } | null): void {
    const day = Math.floor(this.clock.now() / DAY_MS);
    if (day !== this.day) this.begin(day);
    const [account, keyId] = caller ? [caller.account, caller.keyId] : [null, WITHOUT_KEY];
    const calls = this.today.get(account)?.get(keyId)?.get(operation);
    if (calls) calls.calls++;
    else this.add(operation, account, keyId);
  }

  private add(operation: string, ofAccount: string | null, ofKey: string): void {
    const hasRoom = this.today.has(ofAccount) || this.today.size < MAX_ACCOUNTS;
    const account = hasRoom ? ofAccount : null;
    const keys = this.today.get(account) ?? new Map<string, Map<string, Unsaved>>();
    this.today.set(account, keys);
    const isSeparate = hasRoom && (keys.has(ofKey) || keys.size < MAX_KEYS);
    const keyId = isSeparate ? ofKey : furtherKeysOf(account);
    const operations = keys.get(keyId) ?? new Map<string, Unsaved>();
    keys.set(keyId, operations);
    const counted = operations.get(operation);
    if (counted) counted.calls++;
    else operations.set(operation, { operation, account, keyId, day: this.day, calls: 1 });
  }

  private begin(day: number): void {
    this.earlier = this.unsaved();
    this.today = new Map();
    this.day = day;
  }

  private unsaved(): Unsaved[] {
    const today = [...this.today.values()].flatMap((keys) =>
      [...keys.values()].flatMap((operations) => [...operations.values()]),
    );
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
