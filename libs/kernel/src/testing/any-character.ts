import fc from 'fast-check';

const SURROGATES_FROM = 0xd800;
const SURROGATES = 0x800;

/** Any character of Unicode, like the unit `binary` of fast-check, which takes a second of each suite to make. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - SURROGATES })
  .map((index) => String.fromCodePoint(index < SURROGATES_FROM ? index : index + SURROGATES));
