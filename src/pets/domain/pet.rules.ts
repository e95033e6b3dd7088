/** The availability of an animal. */
export const PET_STATUSES = ['available', 'pending', 'sold'] as const;

export type PetStatus = (typeof PET_STATUSES)[number];

/**
 * The rule for names: the number of characters after trimming, and that none is a control character. The pattern spells
 * these as ranges, which every regular expression dialect understands.
 */
export const PET_NAME = { minLength: 1, maxLength: 255, pattern: '^[^\\x00-\\x1f\\x7f-\\x9f]*$' } as const;

const ALLOWED = new RegExp(PET_NAME.pattern, 'u');

/** The problem with a name, phrased to follow the word `name`; null when the name is valid. */
export function petNameProblem(name: unknown): string | null {
  if (typeof name !== 'string') return 'must be a string';
  const trimmed = name.trim();
  if (trimmed === '') return 'must not be empty or blank';
  // A character outside the BMP is two UTF-16 units but one character. PostgreSQL and JSON Schema count it as one too.
  if (trimmed.length > PET_NAME.maxLength && [...trimmed].length > PET_NAME.maxLength) {
    return `must have at most ${PET_NAME.maxLength} characters`;
  }
  if (!ALLOWED.test(trimmed)) return 'must not contain control characters';
  if (!trimmed.isWellFormed()) return 'must not contain lone surrogates';
  return null;
}
