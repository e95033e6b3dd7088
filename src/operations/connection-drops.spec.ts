import { ConnectionDrops } from './connection-drops.js';

describe('ConnectionDrops', () => {
  it('counts every dropped connection, and says so once a minute', () => {
    const warn = jest.fn();
    const connectionDropped = jest.fn();
    let nowMs = 5_000;
    const drops = new ConnectionDrops({ warn }, { connectionDropped }, () => nowMs);

    drops.dropped();
    drops.dropped();
    nowMs += 59_999;
    drops.dropped();
    expect(warn.mock.calls).toEqual([['New connections are dropped: MAX_CONNECTIONS are open.', 'Server']]);

    nowMs += 1;
    drops.dropped();
    expect(warn).toHaveBeenCalledTimes(2);
    expect(connectionDropped).toHaveBeenCalledTimes(4);
  });
});
