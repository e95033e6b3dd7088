/** No control characters: labels are printed to terminals. No lone surrogates: PostgreSQL refuses them. */
const LABEL = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** An API key, or most of one. Labels are listed and stored in the clear. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]{8}/i;

/** What is wrong with a key's name or account, ready to follow that word; null when it may be used. */
export function labelProblem(text: string): string | null {
  if (KEY_TEXT.test(text)) return 'must not contain the text of a key';
  return LABEL.test(text.trim()) ? null : 'must have 1 to 100 characters, none of them a control character';
}
