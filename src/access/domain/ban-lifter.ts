/** Lifts bans of keys where requests are counted. */
export abstract class BanLifter {
  /**
   * Lifts a ban of the key that began at `liftedAtMs` or before (milliseconds since the Unix epoch). Lifting it twice
   * has the same effect as once.
   */
  abstract liftBan(keyId: string, liftedAtMs: number): void | Promise<void>;
}
