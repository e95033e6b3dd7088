import type { Ban } from '../domain/ban.js';
import { type KeyUsage, UsageReader } from '../domain/usage.reader.js';

const UNUSED: KeyUsage = { minute: null, day: { used: 0, resetsAtMs: 86_400_000 }, ban: null };

/** Returns the usage that a test sets, and zero usage for other keys. */
export class FixedUsage extends UsageReader {
  private readonly usages = new Map<string, KeyUsage>();
  private failure: Error | null = null;

  give(subject: string, usage: Partial<KeyUsage>): void {
    this.usages.set(subject, { ...UNUSED, ...usage });
  }

  /** From now on every read fails. */
  fail(failure: Error): void {
    this.failure = failure;
  }

  async usageOfAll(subjects: readonly string[]): Promise<ReadonlyMap<string, KeyUsage>> {
    if (this.failure) throw this.failure;
    return new Map(subjects.map((id) => [id, this.usages.get(id) ?? UNUSED]));
  }

  async bans(): Promise<ReadonlyMap<string, Ban>> {
    const usages = await this.usageOfAll([...this.usages.keys()]);
    return new Map([...usages].flatMap(([subject, { ban }]) => (ban ? [[subject, ban] as const] : [])));
  }
}
