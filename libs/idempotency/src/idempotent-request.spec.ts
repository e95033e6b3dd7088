import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { BadRequestException } from '@nestjs/common';
import { FirstResponseWithheld, IdempotencyInProgress, IdempotencyKeyReused } from './idempotency.errors.js';
import { Idempotency } from './idempotency.js';
import type { SentRequest } from './idempotency.options.js';
import { IdempotencyStore, type Claim, type FirstResponse, type Found } from './idempotency.store.js';
import { type HandlerResponse, parseIdempotencyKey, respondOnce } from './idempotent-request.js';

describe('parseIdempotencyKey', () => {
  it.each([
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['"8e03978e-40d5-43dd-bc93-6894a57f9324"', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~', '!~'],
    ['a,b', 'a,b'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('reads %s', (header, key) => {
    expect(parseIdempotencyKey(header)).toBe(key);
  });

  it.each([
    '',
    '""',
    '"',
    'a"b',
    '"a',
    'a"',
    '"a"b"',
    'a b',
    'given, twice',
    'caf\u00e9',
    'a\tb',
    'x'.repeat(256),
    `"${'x'.repeat(256)}"`,
  ])('refuses %j', (header) => {
    expect(() => parseIdempotencyKey(header)).toThrow(BadRequestException);
  });
});

/** One response, however many keys there are. */
class OneResponse extends IdempotencyStore<null> {
  first: FirstResponse | null = null;
  isLocked = true;
  /** How often the database makes it repeat the first transaction. */
  repetitions = 0;

  async transaction<T>(work: (transaction: null) => Promise<T>): Promise<T> {
    const { first } = this;
    for (; this.repetitions > 0; this.repetitions--) {
      await work(null);
      this.first = first;
    }
    return work(null);
  }

  async claim(): Promise<Claim> {
    return { first: this.first, nowMs: 0, isLocked: this.isLocked };
  }

  async find(): Promise<Found> {
    return { first: this.first, nowMs: 0 };
  }

  async save(_: unknown, response: FirstResponse): Promise<void> {
    this.first = response;
  }
}

describe('respondOnce', () => {
  let store: OneResponse;
  let idempotency: Idempotency;

  beforeEach(() => {
    store = new OneResponse();
    idempotency = new Idempotency({ store, callerOf: () => 'zoo' });
  });

  const ofNode = (): HandlerResponse => {
    const response = new ServerResponse(new IncomingMessage(null as unknown as Socket));
    return response.setHeader('Vary', 'Accept');
  };

  /** It sets headers by `header()`, and names them only in an object. */
  const ofFastify = (): HandlerResponse => {
    const raw = ofNode() as ServerResponse;
    return {
      statusCode: 200,
      header: (name: string, value: string | string[]) => raw.setHeader(name, value),
      getHeader: (name: string) => raw.getHeader(name),
      getHeaders: () => raw.getHeaders(),
      removeHeader: (name: string) => raw.removeHeader(name),
    } as unknown as HandlerResponse;
  };

  interface Sent {
    readonly url?: string;
    readonly body?: unknown;
    readonly onlyTo?: string | null;
    readonly response?: HandlerResponse;
  }

  function send(handle: () => unknown, { url = '/', body, onlyTo = null, response = ofNode() }: Sent = {}) {
    const request = { method: 'POST', originalUrl: url, headers: { 'idempotency-key': 'once' } };
    const sent = { request: request as unknown as SentRequest, response, caller: 'zoo', operation: 'take' };
    return respondOnce(idempotency, { ...sent, body, onlyTo }, handle);
  }

  it.each([
    ['Node', ofNode],
    ['Fastify', ofFastify],
  ])('sends and stores the headers of the run that was stored, on a response of %s', async (_, respond) => {
    const response = respond();
    const names = ['X-First', 'X-Second'];
    store.repetitions = 1;
    const handle = () => {
      const name = names.shift()!;
      if ('setHeader' in response) response.setHeader(name, 'set');
      else response.header(name, 'set');
    };
    await send(handle, { response });

    expect(response.getHeaders()).toEqual({ vary: 'Accept', 'x-second': 'set' });
    expect(store.first).toMatchObject({ headers: { 'x-second': 'set' }, body: '' });
    expect(Object.keys(store.first!.headers)).toEqual(['x-second']);
  });

  it('sends no headers of its run when another replica has stored a response first', async () => {
    const response = ofNode() as HandlerResponse & ServerResponse;
    await send(() => 'theirs');
    const theirs = store.first;
    store.first = null;
    store.repetitions = 1;
    const handle = () => {
      response.setHeader('X-Own', 'set');
      return 'own';
    };
    const claim = jest.spyOn(store, 'claim');
    claim.mockResolvedValueOnce({ first: null, nowMs: 0, isLocked: true });
    claim.mockResolvedValueOnce({ first: theirs, nowMs: 0, isLocked: true });

    expect(await send(handle, { response })).toBe('theirs');
    expect(response.getHeaders()).toEqual({ vary: 'Accept', 'idempotent-replayed': 'true' });
  });

  it.each<[string, Sent, Sent]>([
    ['another URL', { url: '/berths/1' }, { url: '/berths/2' }],
    ['other bytes', { body: Buffer.from('a') }, { body: Buffer.from('b') }],
    [
      'a file with other bytes',
      { body: { bytes: Buffer.from('a'), mediaType: 'image/png' } },
      { body: { bytes: Buffer.from('b'), mediaType: 'image/png' } },
    ],
    [
      'a file of another type',
      { body: { bytes: Buffer.from('a'), mediaType: 'image/png' } },
      { body: { bytes: Buffer.from('a'), mediaType: 'image/gif' } },
    ],
  ])('refuses the key with %s', async (_, first, other) => {
    await send(() => 'done', first);

    expect(await send(() => 'again', first)).toBe('done');
    const response = ofNode();
    await expect(send(() => 'again', { ...other, response })).rejects.toThrow(IdempotencyKeyReused);
    expect(response.getHeader('Retry-After')).toBeUndefined();
  });

  it('says how soon to repeat a request whose first one is still running', async () => {
    const response = ofNode();
    store.isLocked = false;

    await expect(send(() => 'done', { response })).rejects.toThrow(IdempotencyInProgress);
    expect(response.getHeader('Retry-After')).toBe('1');
  });

  it('withholds a response from another API key, and refuses another request of it, whatever their hashes are', async () => {
    await send(() => 'secret', { onlyTo: 'key 1' });
    await expect(send(() => 'again', { onlyTo: 'key 2' })).rejects.toThrow(FirstResponseWithheld);

    for (let body = 0; body < 200; body++)
      await expect(send(() => 'again', { onlyTo: 'key 2', body })).rejects.toThrow(IdempotencyKeyReused);
  });

  it('stores nothing of a response that is not JSON', async () => {
    await expect(send(() => Buffer.from('a'))).rejects.toThrow(
      'An @Idempotent() handler must return JSON: other responses cannot be stored.',
    );
    expect(store.first).toBeNull();
  });
});
