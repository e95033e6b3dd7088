/** Words that begin with a vowel, but sound like "you" or "one". */
const CONSONANT = /^(eu|ewe|one|once$|u(ni(?![mn])|s[ae]|su|t[ei]|r[ae]))/;
const VOWEL = /^([aeiou]|h(our|eir|onest|ono)|xray)/;

/** `a` or `an`, as the English word in lower-case letters needs it. */
export function articleOf(word) {
  return VOWEL.test(word) && !CONSONANT.test(word) ? 'an' : 'a';
}
