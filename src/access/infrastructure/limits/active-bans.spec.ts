import { Logger } from '@nestjs/common';
import { ActiveBans } from './active-bans.js';

describe('ActiveBans', () => {
  let bans: ActiveBans;
  let warn: jest.SpyInstance;

  beforeEach(() => {
    warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    bans = new ActiveBans();
    bans.began('key_anna', { plan: 'free', sinceMs: 1_000, untilMs: 61_000, refusals: 30 });
  });

  afterEach(() => jest.restoreAllMocks());

  function at(nowMs: number): object {
    return Object.fromEntries(bans.byPlan(['free', 'pro'], nowMs));
  }

  it('are those that have not ended, by plan', () => {
    bans.began('key_bert', { plan: 'free', sinceMs: 1_000, untilMs: 31_000 });
    expect(at(30_999)).toEqual({ free: 2, pro: 0 });
    expect(at(31_000)).toEqual({ free: 1, pro: 0 });
    expect(at(61_000)).toEqual({ free: 0, pro: 0 });
  });

  it('count a key once that is banned again', () => {
    bans.began('key_anna', { plan: 'pro', sinceMs: 61_000, untilMs: 181_000 });
    expect(at(61_000)).toEqual({ free: 0, pro: 1 });
  });

  it('do not include one that is lifted', () => {
    bans.lifted('key_anna', 1_000);
    bans.lifted('key_nobody', 1_000);
    expect(at(2_000)).toEqual({ free: 0, pro: 0 });
  });

  it('include one that began after an earlier one was lifted', () => {
    bans.lifted('key_anna', 999);
    expect(at(2_000)).toEqual({ free: 1, pro: 0 });
  });

  it('are bounded', () => {
    for (let count = 0; count < 100_001; count++)
      bans.began(`${count}`, { plan: 'pro', sinceMs: 0, untilMs: 9_000 });
    expect(at(2_000)).toEqual({ free: 1, pro: 99_999 });
  });

  it('are logged once each: keys with their account, and addresses', () => {
    const ban = { plan: 'none', sinceMs: 1_000, untilMs: 61_000, refusals: 30 };
    bans.began('account zoo\nkey_bert', ban);
    for (const subject of ['2001:db8:1:2::/64', '203.0.113.7\npreflight 203.0.113.7'])
      bans.began(subject, ban);
    const bannedUntil = '1970-01-01T00:01:01.000Z';
    const refusals = 30;
    const message =
      'A caller is banned: within a minute 30 of its requests were refused. "keys unban" lifts the ban.';
    expect(warn.mock.calls).toEqual([
      [{ account: 'key_anna', keyId: 'key_anna', bannedUntil, refusals, message }],
      [{ account: 'zoo', keyId: 'key_bert', bannedUntil, refusals, message }],
      [{ address: '2001:db8:1:2::/64', bannedUntil, refusals, message }],
      [{ address: '203.0.113.7', bannedUntil, refusals, message }],
    ]);
  });
});
