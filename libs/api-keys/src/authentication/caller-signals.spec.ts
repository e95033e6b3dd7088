import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { FakeClock, ManualTimers } from '@animal-store/kernel/testing';
import { hashApiKey } from '../api-key.js';
import { InvalidApiKey } from '../api-key.errors.js';
import { ApiKeyStore, type StoredApiKey } from '../api-key.store.js';
import { type Authentication, setOutcome } from '../caller.js';
import { ApiKeyAuthenticator } from './api-key.authenticator.js';
import { CallerSignals } from './caller-signals.js';

const ANNA = 'ask_test_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA1kXNAO';
const BERT = 'ask_test_BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB3rNRdb';
/** Between two checks. */
const EVERY_MS = 1_000;

class Keys extends ApiKeyStore {
  readonly byHash = new Map<string, StoredApiKey>();
  isDown = false;
  lookUps = 0;

  override findByHash(hash: string): Promise<StoredApiKey | null> {
    this.lookUps++;
    return this.isDown
      ? Promise.reject(new Error('The database is gone.'))
      : Promise.resolve(this.byHash.get(hash) ?? null);
  }
}

describe('CallerSignals', () => {
  let clock: FakeClock;
  let timers: ManualTimers;
  let store: Keys;
  let authenticator: ApiKeyAuthenticator;
  let signals: CallerSignals;

  beforeEach(() => {
    clock = new FakeClock();
    timers = new ManualTimers();
    store = new Keys();
    for (const text of [ANNA, BERT]) put(text, {});
    authenticator = new ApiKeyAuthenticator({ prefix: 'ask_test_', store, now: clock.now });
    signals = new CallerSignals(authenticator);
  });

  afterEach(() => signals.onModuleDestroy());
  afterEach(() => jest.restoreAllMocks());

  function put(text: string, state: Partial<StoredApiKey>): StoredApiKey {
    const hash = hashApiKey(text);
    const key = { keyId: `key_${text[9]}`, hash, expiresAtMs: null, revokedAtMs: null, ...state };
    store.byHash.set(hash, key);
    return key;
  }

  /** A request whose response is open. */
  async function open(text: string): Promise<{ signal: AbortSignal; response: EventEmitter }> {
    const request = { rawHeaders: ['Authorization', `Bearer ${text}`] } as IncomingMessage;
    setOutcome(request, await authenticator.authenticate(request));
    const response = new EventEmitter();
    return { signal: signals.of(request, response as ServerResponse), response };
  }

  async function pass(ms: number, each = () => {}): Promise<void> {
    for (let passed = 0; passed < ms; passed += EVERY_MS) {
      clock.advance(EVERY_MS);
      each();
      await timers.fire();
    }
  }

  /** What reads the changes of the store every second. */
  const confirm = () => authenticator.apply([], clock.now());

  it('are aborted when the key is revoked, at the next check after the change is known', async () => {
    confirm();
    const [ofAnna, ofBert] = [await open(ANNA), await open(BERT)];
    await pass(60_000, confirm);
    expect(ofAnna.signal.aborted).toBe(false);

    authenticator.apply([put(ANNA, { revokedAtMs: clock.now() })], clock.now());
    await pass(EVERY_MS, confirm);
    expect(ofAnna.signal.aborted).toBe(true);
    expect(ofAnna.signal.reason).toBeInstanceOf(InvalidApiKey);
    expect(ofBert.signal.aborted).toBe(false);
  });

  it('are aborted when the key expires', async () => {
    confirm();
    put(ANNA, { expiresAtMs: clock.now() + 10_000 });
    const { signal } = await open(ANNA);
    await pass(9_000, confirm);
    expect(signal.aborted).toBe(false);
    await pass(EVERY_MS, confirm);
    expect(signal.aborted).toBe(true);
  });

  it('read nothing while the cache is confirmed', async () => {
    confirm();
    await open(ANNA);
    store.lookUps = 0;
    await pass(60_000, confirm);
    expect(store.lookUps).toBe(0);
  });

  it('are aborted within 5 s in an application that confirms nothing', async () => {
    const { signal } = await open(ANNA);
    await pass(60_000);
    expect(signal.aborted).toBe(false);
    put(ANNA, { revokedAtMs: clock.now() });
    await pass(EVERY_MS);
    expect(signal.aborted).toBe(true);
  });

  it('are aborted at once when the key was revoked since its request was authenticated', async () => {
    const request = { rawHeaders: ['Authorization', `Bearer ${ANNA}`] } as IncomingMessage;
    setOutcome(request, await authenticator.authenticate(request));
    put(ANNA, { revokedAtMs: clock.now() });
    const signal = signals.of(request, new EventEmitter() as ServerResponse);
    expect(timers.restsMs).toEqual([0]);
    await timers.fire();
    expect(signal.aborted).toBe(true);
  });

  it('are aborted within 5 s when the store cannot be read, and not when it could be again by then', async () => {
    confirm();
    const { signal } = await open(ANNA);
    await pass(EVERY_MS, confirm);
    store.isDown = true;
    await pass(3_000);
    store.isDown = false;
    await pass(3_000);
    expect(signal.aborted).toBe(false);

    store.isDown = true;
    await pass(5_000);
    expect(signal.aborted).toBe(true);
  });

  it('cost nothing when the responses are closed', async () => {
    const [one, other] = [await open(ANNA), await open(ANNA)];
    one.response.emit('close');
    put(ANNA, { revokedAtMs: clock.now() });
    await pass(EVERY_MS);
    expect([one.signal.aborted, other.signal.aborted]).toEqual([false, true]);
    expect(timers.restsMs).toEqual([]);

    put(BERT, {});
    (await open(BERT)).response.emit('close');
    await pass(EVERY_MS);
    expect(timers.restsMs).toEqual([]);
  });

  it.each<Authentication>(['missing', 'invalid'])(
    'are never aborted without a caller (%s)',
    async (outcome) => {
      const request = { rawHeaders: ['Authorization', `Bearer ${ANNA}`] } as IncomingMessage;
      setOutcome(request, outcome);
      const signal = signals.of(request, { raw: new EventEmitter() as ServerResponse });
      await pass(10_000);
      expect(signal.aborted).toBe(false);
      expect(store.lookUps).toBe(0);
    },
  );
});
