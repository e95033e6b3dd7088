/** The id, text and hash of a new key. The text is shown to its owner once and never stored. */
export interface KeySecret {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

/** Generates the secrets of new keys. */
export abstract class KeyGenerator {
  abstract generate(): KeySecret;
}
