import { Logger } from '@nestjs/common';
import { FakeClock } from '@animal-store/kernel/testing';
import type { ApiKey } from '../domain/api-key.js';
import { anApiKey, plans } from '../testing/api-key.builder.js';
import { type KeyStorage, openKeyStorage } from '../testing/key-storage.js';
import { KeyCensus } from './key-census.js';

describe('KeyCensus', () => {
  let storage: KeyStorage;
  let clock: FakeClock;

  beforeEach(async () => {
    storage = await openKeyStorage();
    clock = new FakeClock('2026-03-14T12:00:00.000Z');
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await storage.close();
  });

  it('counts the active keys of each plan, and every plan', async () => {
    await storage.put(
      anApiKey({ id: 'key_1' }),
      anApiKey({ id: 'key_2' }),
      anApiKey({ id: 'key_3', plan: plans.of('pro') }),
      anApiKey({ id: 'key_4' }),
      anApiKey({ id: 'key_5', expiresAtMs: clock.now() }),
    );
    await storage.unitOfWork.run((transaction) =>
      storage.keys.change('key_4', (key) => key.revoke(1), transaction),
    );
    const census = new KeyCensus(storage.keys, clock);
    expect(census.activeKeys.size).toBe(0);
    await census.step();
    expect(Object.fromEntries(census.activeKeys)).toEqual({ free: 2, pro: 1, business: 0, enterprise: 0 });
  });

  it('counts many keys in steps, and shows the last complete count meanwhile', async () => {
    const many = Array.from({ length: 1_001 }, (_, index) => anApiKey({ id: `key_${index}` }));
    const page = async (after: string, limit: number): Promise<ApiKey[]> => {
      const start = many.findIndex(({ id }) => id === after) + 1;
      return many.slice(start, start + limit);
    };
    const census = new KeyCensus({ page }, clock);
    const rests = [await census.step(), await census.step()];
    expect(census.activeKeys.size).toBe(0);
    rests.push(await census.step());
    expect(rests).toEqual([20, 20, 60_000]);
    expect(census.activeKeys.get('free')).toBe(1_001);

    many.length = 400;
    await census.step();
    expect(census.activeKeys.get('free')).toBe(400);
  });

  it('continues when the database is back, and logs only the changes', async () => {
    const error = jest.spyOn(Logger.prototype, 'error').mockImplementation();
    const log = jest.spyOn(Logger.prototype, 'log').mockImplementation();
    const page = jest.fn().mockRejectedValueOnce(new Error('gone')).mockRejectedValueOnce(new Error('gone'));
    const census = new KeyCensus({ page: page.mockResolvedValue([anApiKey()]) }, clock);
    await census.step();
    await census.step();
    await census.step();
    expect(census.activeKeys.get('free')).toBe(1);
    expect([error.mock.calls.length, log.mock.calls.length]).toEqual([1, 1]);
  });
});
