const MAX_CHARACTERS = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** What is wrong with a name, ready to follow the word `name`; null when it may be used. */
export function petNameProblem(name: unknown): string | null {
  if (typeof name !== 'string') return 'must be a string';
  const trimmed = name.trim();
  if (trimmed === '') return 'must not be empty or blank';
  // A character outside the BMP is two UTF-16 units but one character, here as in PostgreSQL and JSON Schema.
  if (trimmed.length > MAX_CHARACTERS && [...trimmed].length > MAX_CHARACTERS) {
    return `must have at most ${MAX_CHARACTERS} characters`;
  }
  if (CONTROL_CHARACTER.test(trimmed)) return 'must not contain control characters';
  if (!trimmed.isWellFormed()) return 'must not contain lone surrogates';
  return null;
}
