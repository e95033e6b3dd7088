import { parse } from 'lossless-json';

/** JSON with every whole number as a bigint. */
export function exactJson(text: string): unknown {
  return parse(text, null, {
    parseNumber: (digits) => (/^-?\d+$/.test(digits) ? BigInt(digits) : Number(digits)),
  });
}
