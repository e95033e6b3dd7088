const MAX_CHARACTERS = 255;
const CONTROL_CHARACTER = /\p{Cc}/u;

/** The problem with a name, phrased to follow the word `name`; null when the name is valid. */
export function petNameProblem(name: unknown): string | null {
  if (typeof name !== 'string') return 'must be a string';
  const trimmed = name.trim();
  if (trimmed === '') return 'must not be empty or blank';
  // A character outside the BMP is two UTF-16 units but one character. PostgreSQL and JSON Schema count it as one too.
  if (trimmed.length > MAX_CHARACTERS && [...trimmed].length > MAX_CHARACTERS) {
    return `must have at most ${MAX_CHARACTERS} characters`;
  }
  if (CONTROL_CHARACTER.test(trimmed)) return 'must not contain control characters';
  if (!trimmed.isWellFormed()) return 'must not contain lone surrogates';
  return null;
}
