const KEY_ID = /^key_[0-9A-Za-z_-]{1,64}$/;

/** An API key, whole or in part. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]+/gi;

/** What is wrong with what was given for a key's id, or null when it may be one. Never repeats it: it may be a key. */
export function keyIdProblem(text: string): string | null {
  if (text.search(KEY_TEXT) >= 0) {
    return 'that is the text of a key, which is a secret; name its id, such as key_0123456789abcdef: keys list shows it.';
  }
  return KEY_ID.test(text) ? null : 'that is no id of a key: an id looks like key_0123456789abcdef.';
}

/** `message` with every key in it made unreadable. */
export function withoutKeyTexts(message: string): string {
  return message.replaceAll(KEY_TEXT, 'ask_$1_[redacted]');
}
