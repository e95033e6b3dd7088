/** Whoever bans keys, asked to stop. */
export abstract class BanLifting {
  /**
   * Lifts a ban of the key that began before `liftedAtMs` (milliseconds since the Unix epoch). Doing so twice is the
   * same as once.
   */
  abstract liftBan(keyId: string, liftedAtMs: number): void | Promise<void>;
}
