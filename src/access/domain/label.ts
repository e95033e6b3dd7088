/** No control characters: labels are printed to terminals. No lone surrogates: PostgreSQL refuses them. */
const LABEL = /^[^\p{Cc}\p{Cs}]{1,100}$/u;

/** What is wrong with a key's name or account, ready to follow that word; null when it may be used. */
export function labelProblem(text: string): string | null {
  return LABEL.test(text.trim()) ? null : 'must have 1 to 100 characters, none of them a control character';
}
