/** No control characters, as labels are printed to terminals. No lone surrogates, as PostgreSQL refuses them. */
const LABEL = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** An API key or most of one. Labels are stored and listed in the clear, so they must not contain it. */
const KEY_TEXT = /ask_(live|test)_[0-9A-Za-z]{8}/i;

/** The problem with the name or the account of a key, phrased to follow that word; null when it is valid. */
export function keyLabelProblem(text: string): string | null {
  if (KEY_TEXT.test(text)) return 'must not contain the text of a key';
  return LABEL.test(text.trim()) ? null : 'must have 1 to 100 characters, none of them a control character';
}
