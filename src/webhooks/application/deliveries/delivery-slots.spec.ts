import { RANKS } from '../../domain/delivery.js';
import { DeliverySlots } from './delivery-slots.js';

describe('DeliverySlots', () => {
  let slots: DeliverySlots;
  /** Ends of what runs, in the order in which it began, by the name of its account. */
  let running: [account: string, end: () => void][];

  beforeEach(() => {
    slots = new DeliverySlots();
    running = [];
  });

  function begin(
    account: string,
    rank: number = RANKS.everybodys,
    host = account,
    { signal } = new AbortController(),
  ) {
    const work = () => new Promise<'done'>((resolve) => running.push([account, () => resolve('done')]));
    return slots.on({ account, url: `https://${host.replaceAll(' ', '-')}.example/` }, rank, work, signal);
  }

  const turn = () => new Promise((next) => setImmediate(next));
  const names = () => running.map(([account]) => account);

  async function end(count: number): Promise<void> {
    for (const [, one] of running.splice(0, count)) one();
    await turn();
  }

  /** Takes all slots. */
  async function fill(): Promise<void> {
    for (let count = 0; count < 100; count++) void begin(`filler ${count}`, RANKS.own);
    await turn();
  }

  it('runs a hundred at once', async () => {
    for (let count = 0; count < 130; count++) void begin(`zoo ${count}`, RANKS.own);
    await turn();
    expect(running).toHaveLength(100);
    await end(20);
    expect(running).toHaveLength(100);
    await end(100);
    expect(running).toHaveLength(10);
  });

  it("has slots for accounts' own events while slow receivers of everybody's have all the others", async () => {
    for (let count = 0; count < 130; count++) void begin(`zoo ${count}`);
    await turn();
    expect(running).toHaveLength(80);
    for (let count = 0; count < 30; count++) void begin(`ark ${count}`, RANKS.own);
    await turn();
    expect(names().slice(80)).toEqual(Array.from({ length: 20 }, (_, count) => `ark ${count}`));
  });

  it('gives accounts turns, however many requests one of them has', async () => {
    await fill();
    for (const account of ['circus', 'circus', 'circus', 'zoo', 'ark', 'zoo'])
      void begin(account, RANKS.own, `host of ${account}`);
    await turn();
    await end(5);

    expect(names().slice(-5)).toEqual(['circus', 'zoo', 'ark', 'circus', 'zoo']);
  });

  it("begins an account's own events before everybody's", async () => {
    for (let count = 0; count < 150; count++) void begin(`circus ${count}`);
    void begin('zoo', RANKS.own);
    void begin('ark', RANKS.requested);
    await turn();
    await end(2);

    expect(names().slice(-2)).toEqual(['zoo', 'ark']);
  });

  it('gives an account ten, and a host twenty', async () => {
    for (let count = 0; count < 15; count++) void begin('zoo', RANKS.own, 'shared');
    for (let count = 0; count < 15; count++) void begin(`other ${count}`, RANKS.own, 'shared');
    void begin('ark');
    await turn();

    expect(names().filter((name) => name === 'zoo')).toHaveLength(10);
    expect(names().filter((name) => name.startsWith('other'))).toHaveLength(10);
    expect(names().at(-1)).toBe('ark');
  });

  it('begins nothing whose signal is aborted while it waits, and leaves its slot to others', async () => {
    await fill();
    const abort = new AbortController();
    const waiting = begin('zoo', RANKS.own, 'zoo', abort);
    void begin('ark', RANKS.own);
    await turn();
    abort.abort();

    expect(await waiting).toBeNull();
    await end(1);
    expect(names().at(-1)).toBe('ark');
    expect(await begin('zoo', RANKS.own, 'zoo', abort)).toBeNull();
  });

  it('gives the slot back when the work fails', async () => {
    for (let count = 0; count < 99; count++) void begin(`circus ${count}`, RANKS.own);
    const failing = slots.on({ account: 'zoo', url: 'https://zoo.example/' }, RANKS.own, () =>
      Promise.reject(new Error('planted')),
    );
    await expect(failing).rejects.toThrow('planted');
    void begin('ark', RANKS.own);
    await turn();

    expect(running).toHaveLength(100);
  });
});
