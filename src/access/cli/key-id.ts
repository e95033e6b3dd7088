import { isWellFormedApiKey } from '@animal-store/api-keys';

const KEY_ID = /^key_[0-9A-Za-z_-]{1,64}$/;

/** An API key, whole or in part. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]+/gi;

/**
 * The problem with an argument that should be the id of a key; null when it may be one. Never repeats the argument,
 * which may be a key.
 */
export function keyIdProblem(text: string): string | null {
  if (text.search(KEY_TEXT) >= 0) {
    return 'this is the text of a key, which is a secret. Pass its id, such as key_0123456789abcdef; "keys find" reads the text from standard input and shows it.';
  }
  return KEY_ID.test(text) ? null : 'this is not the id of a key. An id looks like key_0123456789abcdef.';
}

/** Whether the text has the form of a key, of whichever environment. */
export function isKeyText(text: string): boolean {
  return isWellFormedApiKey(text, 'ask_live_') || isWellFormedApiKey(text, 'ask_test_');
}

/** Replaces every key in `message` by a placeholder. */
export function withoutKeyTexts(message: string): string {
  return message.replaceAll(KEY_TEXT, 'ask_$1_[redacted]');
}
