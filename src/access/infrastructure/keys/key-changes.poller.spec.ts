import type { IncomingMessage } from 'node:http';
import { Logger } from '@nestjs/common';
import { ApiKeyAuthenticator, generateApiKey, hashApiKey } from '@animal-store/api-keys';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import type { ApiKey } from '../../domain/api-key.js';
import { anApiKey } from '../../testing/api-key.builder.js';
import { keyStorage } from '../../testing/key-storage.js';
import { KeyChangesPoller } from './key-changes.poller.js';

const TEXT = generateApiKey('ask_test_');
const REQUEST = { rawHeaders: ['Authorization', `Bearer ${TEXT}`] } as IncomingMessage;

class Bans {
  readonly lifted: [subject: string, liftedAtMs: number][] = [];
  isDown = false;

  liftBan(subject: string, liftedAtMs: number): void {
    if (this.isDown) throw new Error('The limiter is gone.');
    this.lifted.push([subject, liftedAtMs]);
  }
}

describe('KeyChangesPoller', () => {
  const storage = keyStorage();
  let clock: FakeClock;
  let authenticator: ApiKeyAuthenticator;
  let bans: Bans;
  let timers: ManualTimers;
  let poller: KeyChangesPoller;

  beforeEach(async () => {
    jest.spyOn(Logger.prototype, 'error').mockImplementation();
    jest.spyOn(Logger.prototype, 'log').mockImplementation();
    await storage.put(anApiKey({ hash: hashApiKey(TEXT) }), anApiKey({ id: 'key_bert' }));
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
    authenticator = new ApiKeyAuthenticator({
      store: storage.keys,
      prefix: 'ask_test_',
      realm: 'zoo',
      now: clock.now,
    });
    bans = new Bans();
    timers = new ManualTimers();
    poller = newPoller();
  });

  afterEach(() => jest.restoreAllMocks());

  const newPoller = () => new KeyChangesPoller(storage, authenticator, bans, clock);

  /** Changes a key like another process, which has its own clock. */
  async function change(id: string, verb: (key: ApiKey) => ApiKey): Promise<void> {
    await storage.unitOfWork.run((transaction) =>
      storage.keys.change([id], (found) => [verb(found.get(id)!)], transaction),
    );
  }

  it.each<[string, hoursBefore: number | null, hoursOfRevocation: number]>([
    ['', null, 0],
    [' when the clock of this host is hours ahead of the others', -2, -1.9],
    [' from a host whose clock is hours behind that of the previous change', 0, -2],
    [' that is the first change ever, when the clock of its host is years behind', null, -250_000],
  ])('applies a revocation%s', async (_, hoursBefore, hoursOfRevocation) => {
    const at = (hours: number) => clock.now() + hours * 3_600_000;
    if (hoursBefore !== null) await change('key_bert', (key) => key.revoke(at(hoursBefore)));
    await poller.poll();
    await authenticator.authenticate(REQUEST);
    await change('key_anna', (key) => key.revoke(at(hoursOfRevocation)));
    await poller.poll();
    expect(authenticator.authenticate(REQUEST)).toBe('invalid');
  });

  it('confirms the cached keys when nothing changed', async () => {
    await poller.poll();
    const caller = await authenticator.authenticate(REQUEST);
    clock.advance(60_000);
    await poller.poll();
    expect(authenticator.authenticate(REQUEST)).toBe(caller);
  });

  it('reads all changes of an outage after it', async () => {
    await poller.poll();
    await authenticator.authenticate(REQUEST);
    const changedAfter = jest.spyOn(storage.keys, 'changedAfter').mockRejectedValue(new Error('gone'));
    await poller.poll();
    await change('key_anna', (key) => key.revoke(clock.now()));
    clock.advance(3_600_000);
    changedAfter.mockRestore();
    await poller.poll();
    expect(authenticator.authenticate(REQUEST)).toBe('invalid');
  });

  describe('a lifted ban of an address', () => {
    const lift = (address: string, atMs = clock.now()) =>
      storage.unitOfWork.run((transaction) => storage.lifts.add(address, atMs, transaction));

    it('is passed on once, for its preflights too', async () => {
      await poller.poll();
      await lift('203.0.113.7');
      await poller.poll();
      await poller.poll();
      expect(bans.lifted).toEqual([
        ['203.0.113.7', clock.now()],
        ['203.0.113.7\npreflight 203.0.113.7', clock.now()],
        ['203.0.113.7\nusage 203.0.113.7', clock.now()],
      ]);
    });

    it('is passed on again after a failure, and when a server starts', async () => {
      await lift('203.0.113.7');
      bans.isDown = true;
      await poller.poll();
      bans.isDown = false;
      await poller.poll();
      await newPoller().poll();
      expect(bans.lifted).toHaveLength(6);
    });
  });

  it('polls at start and every second until the module is destroyed', async () => {
    const changedAfter = jest.spyOn(storage.keys, 'changedAfter');
    await poller.onModuleInit();
    expect(changedAfter).toHaveBeenCalledTimes(1);
    expect(timers.restsMs).toEqual([1_000]);
    changedAfter.mockImplementationOnce(async () => {
      clock.advance(300);
      return [];
    });
    await timers.fire();
    expect(changedAfter).toHaveBeenCalledTimes(2);
    expect(timers.restsMs).toEqual([700]);
    await poller.onModuleDestroy();
    expect(timers.restsMs).toEqual([]);
  });
});
