/** What makes a key a key. The text is shown to its owner once and kept nowhere. */
export interface KeySecret {
  readonly id: string;
  readonly text: string;
  readonly hash: string;
}

/** Where the secrets of new keys come from. */
export abstract class KeyGenerator {
  abstract generate(): KeySecret;
}
