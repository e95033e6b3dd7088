import fc, { type Arbitrary } from 'fast-check';

/** Text with a meaning in HTTP. HEAD is left out, because the end of its responses depends on the request. */
const TOKENS = [
  '\r\n',
  '\r\n\r\n',
  '\n',
  '\r',
  '\0',
  ' ',
  '\t',
  ':',
  '%ff',
  '?a=[',
  '#',
  '//[',
  '../',
  'Content-Length: 5\r\n',
  'Content-Length: -1\r\n',
  'Content-Length: 18446744073709551616\r\n',
  'Transfer-Encoding: chunked\r\n',
  'Transfer-Encoding: gzip, chunked\r\n',
  'Connection: close\r\n',
  'Expect: 100-continue\r\n',
  'Upgrade: h2c\r\n',
  'Host: store\r\n',
  'Transfer-Encoding : chunked\r\n',
  'Authorization: Bearer x\r\n',
  ' folded\r\n',
  'HTTP/1.1',
  'HTTP/9.9',
  'CONNECT ',
  'http://[::1]',
  '0\r\n\r\n',
  'ffffffffffffffff\r\n',
  '\xff\xfe',
];

/** One change to a message at a place between 0 (start) and 1 (end): characters to remove there, and text to insert. */
export interface Edit {
  readonly at: number;
  readonly dropped: number;
  readonly inserted: string;
}

export const edits: Arbitrary<Edit[]> = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    dropped: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
    inserted: fc.oneof(
      fc.constant(''),
      fc.constantFrom(...TOKENS),
      fc.constantFrom(...TOKENS).map((token) => token.repeat(300)),
      fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    ),
  }),
  { maxLength: 4 },
);

export function edited(message: string, changes: readonly Edit[]): string {
  return changes.reduce((text, { at, dropped, inserted }) => {
    const place = Math.floor(at * text.length);
    return text.slice(0, place) + inserted + text.slice(place + dropped);
  }, message);
}
