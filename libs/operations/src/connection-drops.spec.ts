import { ConnectionDrops } from './connection-drops.js';

describe('ConnectionDrops', () => {
  it('counts every dropped connection, and logs the count once a minute', () => {
    const warn = jest.fn();
    const connectionDropped = jest.fn();
    let nowMs = 5_000;
    const metrics = { connectionDropped, requestsUnserved: jest.fn() };
    const drops = new ConnectionDrops({ warn }, metrics, { monotonicMs: () => nowMs });

    drops.dropped('too many connections');
    drops.dropped('too many connections');
    nowMs += 59_999;
    drops.dropped('too many connections');
    expect(warn.mock.calls).toEqual([['New connections are dropped: MAX_CONNECTIONS are open.', 'Server']]);

    nowMs += 1;
    drops.dropped('too many requests');
    expect(warn.mock.calls.slice(1)).toEqual([
      ['Connections are closed: too many pipelined requests wait for their response.', 'Server'],
    ]);
    expect(connectionDropped).toHaveBeenCalledTimes(4);
  });

  it('counts every request that was never served, and logs the count once a minute', () => {
    const warn = jest.fn();
    const requestsUnserved = jest.fn();
    const drops = new ConnectionDrops(
      { warn },
      { connectionDropped: jest.fn(), requestsUnserved },
      { monotonicMs: () => 0 },
    );

    drops.unserved(10);
    drops.unserved(900);

    expect(requestsUnserved.mock.calls).toEqual([[10], [900]]);
    expect(warn.mock.calls).toEqual([['Connections closed before their requests were handled.', 'Server']]);
  });
});
