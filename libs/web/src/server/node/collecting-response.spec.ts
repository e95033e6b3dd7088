import { IncomingMessage, OutgoingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { collectingResponse } from './collecting-response.js';

type Call = readonly [method: string, ...args: unknown[]];

const names = fc.constantFrom(
  'A',
  'a',
  'Date',
  'Vary',
  'vary',
  'Content-Length',
  '1',
  'Content-Disposition',
  'b\n',
  '',
);
const values = fc.constantFrom<unknown>(
  '',
  'x',
  'é',
  'ж',
  'two\r\nlines',
  3,
  ['p', 'q'],
  ['ж'],
  undefined,
  'long'.repeat(100),
);
const few = fc.dictionary(fc.constantFrom('a', 'C'), fc.constantFrom('x', 'y'));
const pairs = few.map((headers) => Object.entries(headers).flat());
const calls: fc.Arbitrary<Call> = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(fc.constant('setHeader'), names, values) },
  fc.tuple(fc.constant('appendHeader'), names, values),
  fc.tuple(fc.constantFrom('getHeader', 'hasHeader', 'removeHeader'), names),
  fc.tuple(fc.constantFrom('getHeaders', 'getHeaderNames', 'getRawHeaderNames', 'flushHeaders')),
  fc.tuple(
    fc.constant('setHeaders'),
    few.map((headers) => new Map(Object.entries(headers))),
  ),
  fc.tuple(
    fc.constant('writeHead'),
    fc.constantFrom(200, 204, 304, 99),
    fc.oneof(fc.constant(undefined), few, pairs),
  ),
  fc.tuple(fc.constant('writeHead'), fc.constant(201), fc.constantFrom('Fine', 'б'), few),
);

/** What each call gives, and what is sent. */
function outcomeOf(type: typeof ServerResponse, made: readonly Call[]): unknown {
  const response = new type(new IncomingMessage(new Socket()));
  const said = [...structuredClone(made), ['end', 'body'] as Call].map(([method, ...args]) => {
    try {
      const result = (response as never as Record<string, (...of: unknown[]) => unknown>)[method]!(...args);
      return result === response ? 'itself' : result;
    } catch (error) {
      return `${(error as Error).name} ${(error as { code?: string }).code}`;
    }
  });
  const { _header: head } = response as unknown as { _header: string | null };
  return { said, head: head?.replace(/^Date: .*GMT$/m, 'Date: now'), names: response.getHeaderNames() };
}

describe('collectingResponse', () => {
  it('gives what a response of Node gives, and sends the same head, whatever is called', () => {
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 12 }), (made) => {
        const [ours, nodes] = [outcomeOf(collectingResponse(), made), outcomeOf(ServerResponse, made)];
        // Jest takes much longer to compare.
        if (!isDeepStrictEqual(ours, nodes)) expect(ours).toEqual(nodes);
      }),
      { numRuns: 3_000 },
    );
  });

  it('sends its headers when an Express application that is called replaces its prototype', () => {
    const response = new (collectingResponse())(new IncomingMessage(new Socket()));
    response.setHeader('A', 'x');
    Object.setPrototypeOf(response, Object.create(ServerResponse.prototype) as object);

    response.setHeader('B', 'y').writeHead(200);
    expect((response as unknown as { _header: string })._header).toContain('A: x\r\nB: y\r\n');
  });

  it.each([ServerResponse.prototype, OutgoingMessage.prototype])(
    'leaves headers to Node when other code has replaced a method of Node (%#)',
    (prototype) => {
      const { setHeader } = prototype;
      const isOwn = Object.hasOwn(prototype, 'setHeader');
      const seen: string[] = [];
      prototype.setHeader = function (this: ServerResponse, ...args) {
        seen.push(args[0]);
        return setHeader.apply(this, args) as never;
      };
      try {
        new (collectingResponse())(new IncomingMessage(new Socket())).setHeader('A', 'x');
      } finally {
        if (isOwn) prototype.setHeader = setHeader;
        else delete (prototype as Partial<ServerResponse>).setHeader;
      }
      expect(seen).toEqual(['A']);
    },
  );
});
