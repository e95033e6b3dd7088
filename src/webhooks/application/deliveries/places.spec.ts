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

  const webhookOf = (account: string, host: string) => aWebhook({ account, url: `https://${host}/hooks` });

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
  const ofSlowAccount = Array.from({ length: 20 }, (_, index) => webhookOf('slow', `host-${index}.example`));
  const ofSlowHost = Array.from({ length: 20 }, (_, index) => webhookOf(`account ${index}`, 'slow.example'));

  it('are for everybody who responds within a second', async () => {
    await respond(ofSlowAccount[0]!, 999);

    expect(count(await enter([...ofSlowAccount, ...ofSlowHost]))).toBe(40);
  });

  it.each([
    ['an account', ofSlowAccount],
    ['a host', ofSlowHost],
  ])('are ten for %s that was slow, until a minute later', async (_, webhooks) => {
    await respond(webhooks[0]!, 1_000);
    expect(count(await enter(webhooks))).toBe(10);
    expect(count(await enter([webhookOf('quick', 'quick.example')]))).toBe(1);
    for (const one of leave.splice(0)) one();
    await new Promise(setImmediate);
    expect(count(await enter(webhooks))).toBe(10);

    clock.advance(59_999);
    expect(count(await enter(webhooks))).toBe(0);
    clock.advance(1);
    expect(count(await enter(webhooks))).toBe(20);
  });

  it('are given back by work that fails', async () => {
    await respond(ofSlowAccount[0]!, 1_000);
    const fail = () => places.on(ofSlowAccount[0]!, () => Promise.reject(new Error('planted')));
    for (let failures = 0; failures < 11; failures++) await expect(fail()).rejects.toThrow('planted');

    expect(count(await enter(ofSlowAccount))).toBe(10);
  });
});
