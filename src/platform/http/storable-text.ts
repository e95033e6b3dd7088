/**
 * The problem with a text that a database cannot store, phrased to follow the name of its field; null for every other
 * text. PostgreSQL refuses U+0000. A lone surrogate has no UTF-8, so it would be stored as another character.
 */
export function unstorableTextProblem(text: string): string | null {
  if (text.includes('\0')) return 'must not contain the character U+0000';
  return text.isWellFormed() ? null : 'must not contain lone surrogates';
}
