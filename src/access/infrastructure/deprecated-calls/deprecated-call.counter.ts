import { Inject, Injectable, Optional } from '@nestjs/common';
import { Clock, DAY_MS, type StartTimer } from '@animal-store/kernel';
import type { DeprecatedCallRepository, DeprecatedCalls } from '../../domain/deprecated-calls.js';
import { BackgroundSaving } from '../background-saving.js';
import { BackgroundDeprecatedCalls } from './typeorm-deprecated-call.repository.js';

/** The keys that are counted apart in a day. Calls of further ones are counted together. */
const MAX_KEYS = 1_000;
const FURTHER_KEYS = 'other';

interface Unsaved extends Omit<DeprecatedCalls, 'calls'> {
  calls: number;
}

/** Counts the calls of deprecated operations, and saves the counts at most a second later. */
@Injectable()
export class DeprecatedCallCounter extends BackgroundSaving {
  /** The calls of the day, by key and operation. A count that is saved begins again at 0. */
  private today = new Map<string, Map<string, Unsaved>>();
  private day = 0;
  /** Those of earlier days that could not be saved yet. */
  private earlier: Unsaved[] = [];

  constructor(
    @Inject(BackgroundDeprecatedCalls) private readonly repository: Pick<DeprecatedCallRepository, 'add'>,
    private readonly clock: Clock,
    @Optional() startTimer?: StartTimer,
  ) {
    super('Calls of deprecated operations', startTimer);
  }

  /** @param keyId `none` without a valid key */
  count(operation: string, keyId: string): void {
    const day = Math.floor(this.clock.now() / DAY_MS);
    if (day !== this.day) this.begin(day);
    const calls = this.today.get(keyId)?.get(operation) ?? this.callsOf(operation, keyId);
    calls.calls++;
  }

  private callsOf(operation: string, keyId: string): Unsaved {
    const counted = this.today.has(keyId) || this.today.size < MAX_KEYS ? keyId : FURTHER_KEYS;
    const byOperation = this.today.get(counted) ?? new Map<string, Unsaved>();
    const calls = byOperation.get(operation) ?? { operation, keyId: counted, day: this.day, calls: 0 };
    this.today.set(counted, byOperation.set(operation, calls));
    return calls;
  }

  private begin(day: number): void {
    this.earlier = this.unsaved();
    this.today = new Map();
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
    await this.repository.add(saved);
    // More may have been counted meanwhile.
    for (const [index, { calls }] of saved.entries()) unsaved[index]!.calls -= calls;
    this.earlier = this.earlier.filter(({ calls }) => calls > 0);
    return null;
  }
}
