import { FakeClock } from '@animal-store/kernel/testing';
import { aWebhook } from '../../testing/webhook.builder.js';
import { Places } from './places.js';

describe('Places', () => {
  let clock: FakeClock;
  let places: Places;
  let leave: (() => void)[];

  beforeEach(() => {
    clock = new FakeClock();
    places = new Places(clock);
    leave = [];
  });

  let id = 0n;
  const webhookOf = (account: string, host: string) =>
    aWebhook({ id: ++id, account, url: `https://${host}/hooks` });

  /** Whether each of these got a place. They have it until they leave. */
  async function enter(webhooks: readonly ReturnType<typeof webhookOf>[]): Promise<boolean[]> {
    const entered = webhooks.map(async (webhook) => {
      let got = false;
      void places.on(webhook, () => {
        got = true;
        return new Promise((resolve) => leave.push(resolve));
      });
      await Promise.resolve();
      return got;
    });
    return Promise.all(entered);
  }

  const respond = (webhook: ReturnType<typeof webhookOf>, ms: number) =>
    places.timed(webhook, async () => clock.advance(ms));
  const count = (got: readonly boolean[]) => got.filter(Boolean).length;
  const ofSlowAccount = Array.from({ length: 30 }, (_, index) => webhookOf('slow', `host-${index}.example`));
  const ofSlowHost = Array.from({ length: 30 }, (_, index) => webhookOf(`account ${index}`, 'slow.example'));

  it('are for everybody who responds within a second', async () => {
    await respond(ofSlowAccount[0]!, 999);

    expect(count(await enter([...ofSlowAccount, ...ofSlowHost]))).toBe(60);
  });

  it.each([
    ['ten for an account', ofSlowAccount, 10],
    ['twenty for a host', ofSlowHost, 20],
  ])('are %s that was slow, until a minute later', async (_, webhooks, max) => {
    await respond(webhooks[0]!, 1_000);
    expect(count(await enter(webhooks))).toBe(max);
    expect(count(await enter([webhookOf('quick', 'quick.example')]))).toBe(1);
    for (const one of leave.splice(0)) one();
    await new Promise(setImmediate);
    expect(count(await enter(webhooks))).toBe(Math.min(max, 30 - max));

    clock.advance(59_999);
    expect(count(await enter(webhooks))).toBe(max - Math.min(max, 30 - max));
    clock.advance(1);
    expect(count(await enter(webhooks))).toBe(30);
  });

  it('go to those that got none, before those that just had one', async () => {
    await respond(ofSlowAccount[0]!, 1_000);
    const [first, ...others] = ofSlowAccount.slice(0, 11);
    expect(await enter([first!, ...others])).toEqual([...Array<boolean>(10).fill(true), false]);
    leave.shift()!();
    await new Promise(setImmediate);

    expect(await enter([first!, others.at(-1)!])).toEqual([false, true]);
    leave.shift()!();
    await new Promise(setImmediate);
    clock.advance(2_499);
    expect(await enter([first!])).toEqual([false]);
    clock.advance(1);
    expect(await enter([first!])).toEqual([true]);
  });

  it('are given back by work that fails', async () => {
    await respond(ofSlowAccount[0]!, 1_000);
    const fail = () => places.on(ofSlowAccount[0]!, () => Promise.reject(new Error('planted')));
    for (let failures = 0; failures < 11; failures++) await expect(fail()).rejects.toThrow('planted');

    expect(count(await enter(ofSlowAccount))).toBe(10);
  });
});
