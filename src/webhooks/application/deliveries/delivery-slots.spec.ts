import { FakeClock } from '@animal-store/kernel/testing';
import { RANKS } from '../../domain/delivery.js';
import { DeliverySlots } from './delivery-slots.js';

const SLOW_MS = 1_000;
const RUNNING = new AbortController().signal;

describe('DeliverySlots', () => {
  let clock: FakeClock;
  let slots: DeliverySlots;
  /** Ends of what runs, in the order in which it began, by the name of its account. */
  let running: [account: string, end: () => void][];

  beforeEach(() => {
    clock = new FakeClock();
    slots = new DeliverySlots(clock);
    running = [];
  });

  function begin(account: string, rank: number = RANKS.everybodys, host = account, signal = RUNNING) {
    const work = () => new Promise<'done'>((resolve) => running.push([account, () => resolve('done')]));
    return slots.on({ account, url: `https://${host.replaceAll(' ', '-')}.example/` }, rank, work, signal);
  }

  const turn = () => new Promise((next) => setImmediate(next));
  const names = () => running.map(([account]) => account);

  async function end(count: number): Promise<void> {
    for (const [, one] of running.splice(0, count)) one();
    await turn();
  }

  it('runs a hundred at once', async () => {
    for (let count = 0; count < 130; count++) void begin('zoo');
    await turn();
    expect(running).toHaveLength(100);
    await end(20);
    expect(running).toHaveLength(100);
    await end(100);
    expect(running).toHaveLength(10);
  });

  it('gives accounts turns, however many requests one of them has', async () => {
    for (let count = 0; count < 150; count++) void begin('circus');
    for (const account of ['zoo', 'ark', 'zoo']) void begin(account);
    await turn();
    await end(4);

    expect(names().slice(-4)).toEqual(['circus', 'zoo', 'ark', 'circus']);
  });

  it("begins an account's own events before everybody's", async () => {
    for (let count = 0; count < 150; count++) void begin(`circus ${count}`);
    void begin('zoo', RANKS.own);
    void begin('ark', RANKS.requested);
    await turn();
    await end(2);

    expect(names().slice(-2)).toEqual(['zoo', 'ark']);
  });

  /** Makes an account and its host slow. */
  async function beSlow(account: string, host = account): Promise<void> {
    const slow = begin(account, RANKS.everybodys, host);
    await turn();
    clock.advance(SLOW_MS);
    await end(1);
    await slow;
  }

  it('gives an account that was slow within the last minute ten, and a host twenty', async () => {
    await beSlow('zoo', 'shared');
    for (let count = 0; count < 15; count++) void begin('zoo', RANKS.own, 'shared');
    for (let count = 0; count < 15; count++) void begin(`other ${count}`, RANKS.own, 'shared');
    void begin('ark');
    await turn();

    expect(names().filter((name) => name === 'zoo')).toHaveLength(10);
    expect(names().filter((name) => name.startsWith('other'))).toHaveLength(10);
    expect(names().at(-1)).toBe('ark');
  });

  it('forgets after a minute that an account was slow', async () => {
    await beSlow('zoo');
    clock.advance(60_000);
    for (let count = 0; count < 15; count++) void begin('zoo');
    await turn();

    expect(running).toHaveLength(15);
  });

  it('begins nothing whose signal is aborted while it waits, and leaves its slot to others', async () => {
    for (let count = 0; count < 100; count++) void begin('circus');
    const abort = new AbortController();
    const waiting = begin('zoo', RANKS.own, 'zoo', abort.signal);
    void begin('ark');
    await turn();
    abort.abort();

    expect(await waiting).toBeNull();
    await end(1);
    expect(names().at(-1)).toBe('ark');
    expect(await begin('zoo', RANKS.own, 'zoo', abort.signal)).toBeNull();
  });

  it('gives the slot back when the work fails', async () => {
    for (let count = 0; count < 99; count++) void begin('circus');
    const failing = slots.on(
      { account: 'zoo', url: 'https://zoo.example/' },
      RANKS.own,
      () => Promise.reject(new Error('planted')),
      RUNNING,
    );
    await expect(failing).rejects.toThrow('planted');
    void begin('ark');
    await turn();

    expect(running).toHaveLength(100);
  });
});
