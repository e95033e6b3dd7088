import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { factsOf } from '../request-facts.js';
import { Connection } from './connection.js';
import { STOCK_NODE } from './node/node-internals.js';

const MAX_UNSENT = 65_536;

/** A socket that sends nothing. */
class FakeSocket extends EventEmitter {
  destroyed = false;
  writableEnded = false;
  writableFinished = false;
  writableLength = 0;
  bytesWritten = 0;
  readonly pause = jest.fn();
  readonly resume = jest.fn();
  readonly setTimeout = jest.fn();
  readonly end = jest.fn();
  readonly destroySoon = () => undefined;
}

class FakeResponse extends EventEmitter {
  readonly req: Pick<IncomingMessage, 'method' | 'httpVersionMinor' | 'headers' | 'complete'>;
  shouldKeepAlive = true;
  headersSent = false;
  writableEnded = false;
  writableLength = 0;
  closed = false;
  readonly destroy = jest.fn();

  constructor(request: Partial<FakeResponse['req']> = {}) {
    super();
    this.req = { method: 'GET', httpVersionMinor: 1, headers: {}, complete: true, ...request };
  }
}

/** What `Connection` uses of them is there. */
const asResponse = (response: FakeResponse) => response as unknown as ServerResponse;

describe('A connection', () => {
  let socket: FakeSocket;
  let connection: Connection;
  const stopParsing = jest.fn();

  beforeEach(() => {
    socket = new FakeSocket();
    stopParsing.mockReset();
    connection = new Connection(socket as unknown as Socket, { ...STOCK_NODE, stopParsing });
  });

  function add(
    request: Partial<FakeResponse['req']> = {},
    changes: Partial<FakeResponse> = {},
  ): FakeResponse {
    const response = Object.assign(new FakeResponse(request), changes);
    connection.add(asResponse(response));
    return response;
  }

  const remove = (response: FakeResponse) => connection.remove(asResponse(response));
  const next = () => connection.next() as unknown as FakeResponse | null;

  it('is whole when it begins', () => {
    expect(connection).toMatchObject({ isHalfRead: false, isRefused: false, isQueued: false, ignored: 0 });
  });

  it.each(['GET', 'HEAD', 'OPTIONS', 'TRACE'])('serves two requests with %s at once', (method) => {
    const both = [add({ method }), add({ method })];
    expect([next(), next(), next()]).toEqual([...both, null]);
  });

  it.each<[string, Partial<FakeResponse['req']>]>([
    ['another method', { method: 'POST' }],
    ['HTTP/1.0', { httpVersionMinor: 0 }],
    ['Expect', { headers: { expect: '100-continue' } }],
  ])('serves a request with %s after those before it, and nothing beside it', (_, request) => {
    const [before, alone, after] = [add(), add(request), add()];
    expect([next(), next()]).toEqual([before, null]);
    remove(before);
    expect([next(), next()]).toEqual([alone, null]);
    remove(alone);
    expect([next(), next()]).toEqual([after, null]);
  });

  it('knows whether a request has not been served', () => {
    expect(connection.hasUnserved).toBe(false);
    add();
    expect(connection.hasUnserved).toBe(true);
    next();
    expect(connection.hasUnserved).toBe(false);
  });

  it('is not read while it has 32 requests, nor until it has 16', () => {
    const all = Array.from({ length: 31 }, () => add());
    expect(socket.pause).not.toHaveBeenCalled();
    all.push(add());
    expect(socket.pause).toHaveBeenCalledTimes(1);
    socket.emit('resume');
    expect(socket.pause).toHaveBeenCalledTimes(2);

    for (const response of all.slice(17)) remove(response);
    expect(socket.resume).not.toHaveBeenCalled();
    remove(all[0]!);
    expect(socket.resume).toHaveBeenCalledTimes(1);
    remove(all[1]!);
    expect(socket.resume).toHaveBeenCalledTimes(1);
    socket.emit('resume');
    expect(socket.pause).toHaveBeenCalledTimes(2);
  });

  it('serves no further request while more than 64 KiB wait for its client', () => {
    const [first] = [add(), add(), add()];
    expect(next()).toBe(first);
    first.writableLength = MAX_UNSENT + 1;
    expect(next()).toBeNull();
    first.writableLength = MAX_UNSENT;
    expect(next()).not.toBeNull();
  });

  it.each(['destroyed', 'writableEnded'] as const)(
    'serves and accepts nothing when its socket is %s',
    (state) => {
      add();
      socket[state] = true;
      expect(next()).toBeNull();
      expect(connection.acceptsMore).toBe(false);
    },
  );

  it('survives an error of its socket', () => {
    expect(socket.emit('error', new Error('reset'))).toBe(true);
  });

  it('removes a response once, wherever it is, and says whether it was being served', () => {
    const [first, second, third] = [add(), add(), add()];
    next();
    expect(remove(second)).toBe(false);
    expect(connection.open).toEqual([first, third]);
    expect(remove(second)).toBeNull();
    expect(remove(first)).toBe(true);
    expect(connection.open).toEqual([third]);
    expect(connection.isHalfRead).toBe(false);
    expect(connection.abandon()).toBe(1);
  });

  it('is half read after a request whose body was not read to its end', () => {
    remove(add({ complete: false }));
    expect(connection.isHalfRead).toBe(true);
    remove(add());
    expect(connection.isHalfRead).toBe(true);
  });

  it('ends after the last open response when that closes it', () => {
    const first = add();
    const last = add({}, { shouldKeepAlive: false });
    expect(connection.acceptsMore).toBe(false);
    expect(stopParsing).toHaveBeenCalledWith(socket);
    remove(first);
    expect(socket.end).not.toHaveBeenCalled();
    remove(last);
    expect(socket.end).toHaveBeenCalledTimes(1);
  });

  it('stays open after responses that do not close it', () => {
    remove(add());
    expect(connection.acceptsMore).toBe(true);
    expect(stopParsing).not.toHaveBeenCalled();
    expect(socket.end).not.toHaveBeenCalled();
  });

  it('gives its client a second to close it when all is sent', () => {
    socket.destroySoon();
    expect(socket.setTimeout).not.toHaveBeenCalled();
    socket.emit('finish');
    expect(socket.setTimeout).toHaveBeenCalledWith(1_000);
    socket.setTimeout.mockClear();
    socket.writableFinished = true;
    socket.destroySoon();
    expect(socket.setTimeout).toHaveBeenCalledWith(1_000);
  });

  describe('that closes after what is open', () => {
    it('does so with the last response', () => {
      const all = [add(), add(), add()];
      connection.closeAfterOpen();
      expect(all.map(({ shouldKeepAlive }) => shouldKeepAlive)).toEqual([true, true, false]);
      expect(connection.acceptsMore).toBe(false);
    });

    it('continues when the head of that one has said so', () => {
      const last = add({}, { headersSent: true });
      connection.closeAfterOpen();
      expect(last.shouldKeepAlive).toBe(true);
      expect(connection.acceptsMore).toBe(true);
    });

    it('does nothing without one', () => {
      connection.closeAfterOpen();
      expect(connection.acceptsMore).toBe(true);
    });
  });

  it('abandons each response that is not closed', () => {
    const [open, another, closed] = [add(), add(), add({}, { closed: true })];
    const ended = jest.fn();
    for (const response of [open, another, closed])
      response.on('close', () => {
        ended(response);
        remove(response);
      });
    connection.abandon();
    expect(ended.mock.calls).toEqual([[open], [another]]);
    expect(open.destroy).toHaveBeenCalledTimes(1);
    expect(closed.destroy).not.toHaveBeenCalled();
  });

  describe('whose client', () => {
    it('has nothing to wait for without a request', () => {
      expect(connection.isWaiting).toBe(false);
    });

    it('has sent and read everything waits', () => {
      add();
      expect(connection.isWaiting).toBe(true);
    });

    it.each<[string, () => unknown]>([
      ['still sends', () => add({ complete: false })],
      ['has its response', () => add({}, { writableEnded: true })],
      ['has not read what the response wrote', () => add({}, { writableLength: 1 })],
      ['has not read what is before it', () => [add(), (socket.writableLength = 1)]],
      ['has a part of both to read', () => [add({}, { writableLength: 1 }), (socket.writableLength = 1)]],
      ['gets no more', () => [add(), (socket.writableEnded = true)]],
    ])('%s waits for no response', (_, prepare) => {
      prepare();
      expect(connection.isWaiting).toBe(false);
    });
  });

  describe('is quiet', () => {
    /** The time at a second check, when the first was at 1,000 ms. */
    function quietAfter(between: () => unknown): number {
      expect(connection.quietMs(1_000)).toBe(0);
      between();
      return connection.quietMs(3_000);
    }

    it('since it was first looked at, without a request', () => {
      expect(quietAfter(() => undefined)).toBe(2_000);
    });

    it('since its last request began', () => {
      add();
      expect(quietAfter(() => undefined)).toBe(2_000);
    });

    it('no longer when a request has begun or ended, or both', () => {
      const first = add();
      expect(quietAfter(() => add())).toBe(0);
      const second = add();
      remove(first);
      expect(connection.quietMs(4_000)).toBe(0);
      remove(second);
      expect(connection.quietMs(5_000)).toBe(0);
    });

    it('not while its client reads a stream', () => {
      add({}, { headersSent: true });
      expect(quietAfter(() => (socket.bytesWritten += 10))).toBe(0);
      expect(connection.quietMs(4_000)).toBe(1_000);
    });

    it('while its client reads nothing, whatever is written', () => {
      add({}, { headersSent: true });
      const write = () => (socket.bytesWritten = socket.writableLength += 10);
      expect(quietAfter(write)).toBe(2_000);
    });

    it.each<[string, Partial<FakeResponse>]>([
      ['without a head', {}],
      ['that is written to its end', { headersSent: true, writableEnded: true }],
    ])('while its first response is one %s, whatever it still reads of others', (_, changes) => {
      add({}, changes);
      expect(quietAfter(() => (socket.bytesWritten += 10))).toBe(2_000);
    });

    it('not while its client has read all of a stream that is held open', () => {
      const { req } = add({}, { headersSent: true });
      factsOf(req as IncomingMessage).streamSignal = new AbortController().signal;
      expect(quietAfter(() => undefined)).toBe(0);
      socket.writableLength = 1;
      connection.quietMs(10_000);
      expect(connection.quietMs(12_000)).toBe(2_000);
    });

    it('while its client waits for more of a response that is not held open', () => {
      add({}, { headersSent: true });
      expect(quietAfter(() => undefined)).toBe(2_000);
    });
  });
});
