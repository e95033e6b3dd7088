import { ActiveBans } from './active-bans.js';

describe('ActiveBans', () => {
  let bans: ActiveBans;

  beforeEach(() => {
    bans = new ActiveBans();
    bans.began('key_anna', { plan: 'free', fromMs: 1_000, untilMs: 61_000 });
  });

  function at(nowMs: number): object {
    return Object.fromEntries(bans.byPlan(['free', 'pro'], nowMs));
  }

  it('are those that have not ended, by plan', () => {
    bans.began('key_bert', { plan: 'free', fromMs: 1_000, untilMs: 31_000 });
    expect(at(30_999)).toEqual({ free: 2, pro: 0 });
    expect(at(31_000)).toEqual({ free: 1, pro: 0 });
    expect(at(61_000)).toEqual({ free: 0, pro: 0 });
  });

  it('count a key once that is banned again', () => {
    bans.began('key_anna', { plan: 'pro', fromMs: 61_000, untilMs: 181_000 });
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
      bans.began(`${count}`, { plan: 'pro', fromMs: 0, untilMs: 9_000 });
    expect(at(2_000)).toEqual({ free: 1, pro: 99_999 });
  });
});
