import { DAY_MS } from '@animal-store/kernel';
import { aDelivery, aWebhook } from '../testing/webhook.builder.js';
import { type TryOutcome } from './delivery.js';
import {
  afterTry,
  isAsleep,
  isPlanned,
  newWebhook,
  nextWakeMs,
  signingSecrets,
  withNewSecret,
} from './webhook.js';

const NOW = Date.UTC(2026, 2, 14, 12);
const HOUR_MS = 3_600_000;
const ARRIVED: TryOutcome = { hasResponded: true, status: 204, problem: null };
const REFUSED: TryOutcome = { hasResponded: true, status: 500, problem: 'The response was 500.' };
const GONE: TryOutcome = { hasResponded: true, status: 410, problem: 'The response was 410.' };
const SILENT: TryOutcome = {
  hasResponded: false,
  status: null,
  problem: 'There was no response within 10 s.',
};

describe('A webhook', () => {
  it('is told once of an event that was named twice', () => {
    const terms = { account: 'zoo', url: 'https://zoo.example' };
    const { events } = newWebhook(
      { ...terms, events: ['order.placed', 'animal.added', 'order.placed'] },
      'one',
      NOW,
    );

    expect(events).toEqual(['order.placed', 'animal.added']);
  });

  it('signs with its old secret beside the new one for a day', () => {
    const rotated = withNewSecret(aWebhook({ secrets: [{ text: 'old', untilMs: null }] }), 'new', NOW);
    const textsAt = (ms: number) => signingSecrets(rotated, ms).map(({ text }) => text);

    expect(textsAt(NOW)).toEqual(['new', 'old']);
    expect(textsAt(NOW + DAY_MS - 1)).toEqual(['new', 'old']);
    expect(textsAt(NOW + DAY_MS)).toEqual(['new']);
  });

  it('signs with each secret for its day when it gets several, but with five at most', () => {
    let webhook = aWebhook({ secrets: [{ text: '0', untilMs: null }] });
    for (let hour = 1; hour <= 3; hour++) webhook = withNewSecret(webhook, `${hour}`, NOW + hour * HOUR_MS);
    const textsAt = (ms: number) => signingSecrets(webhook, ms).map(({ text }) => text);

    expect(textsAt(NOW + 4 * HOUR_MS)).toEqual(['3', '2', '1', '0']);
    expect(textsAt(NOW + DAY_MS + HOUR_MS)).toEqual(['3', '2', '1']);
    for (let hour = 4; hour <= 9; hour++) webhook = withNewSecret(webhook, `${hour}`, NOW + hour * HOUR_MS);
    expect(textsAt(NOW + 9 * HOUR_MS)).toEqual(['9', '8', '7', '6', '5']);
  });

  describe('is woken by a new delivery', () => {
    it.each([
      ['when nothing is pending', { wakeAtMs: null }, true],
      ['when it waits for a retry of another delivery', { wakeAtMs: NOW + 1 }, true],
      ['not when it is to be looked at already', { wakeAtMs: NOW }, false],
      ['not while it rests', { wakeAtMs: NOW + 1, failures: 1 }, false],
      ['when it waits longer for a retry than it would rest', { wakeAtMs: NOW + 10_001, failures: 1 }, true],
    ])('%s', (_, state, expected) => {
      expect(isAsleep(aWebhook(state), NOW)).toBe(expected);
    });
  });

  it.each([
    ['when a job is stored for that time', NOW + 60_001, NOW + 60_001, true],
    ['not when it is for another time', NOW + 60_001, NOW + 60_002, false],
    ['not when it may have run by another clock', NOW + 60_000, NOW + 60_000, false],
  ])('is planned %s', (_, plannedAtMs, wakeAtMs, expected) => {
    expect(isPlanned(aWebhook({ plannedAtMs }), wakeAtMs, NOW)).toBe(expected);
  });

  describe('is looked at again', () => {
    it.each<[string, number, TryOutcome | undefined, number | null, number | null]>([
      ['never when nothing is pending', 0, ARRIVED, null, null],
      ['when its next delivery is due', 0, ARRIVED, NOW + 7, NOW + 7],
      ['at once when that is late', 0, ARRIVED, NOW - 7, NOW],
      ['without a rest when it responds with an error', 9, REFUSED, NOW, NOW],
      ['10 s after its first silence', 1, SILENT, NOW, NOW + 10_000],
      ['40 s after its third silence', 3, SILENT, NOW, NOW + 40_000],
      ['5 minutes after many', 900, SILENT, NOW, NOW + 300_000],
      ['when its delivery is due, if that is later', 1, SILENT, NOW + 60_000, NOW + 60_000],
      ['at once when nothing could be sent', 9, undefined, NOW, NOW],
    ])('%s', (_, failures, last, dueAtMs, expected) => {
      expect(nextWakeMs(aWebhook({ failures }), last, dueAtMs, NOW)).toBe(expected);
    });
  });

  describe('is disabled', () => {
    const failing = { failures: 9, failingSinceMs: NOW - 5 * DAY_MS };
    const DEAD = { disabledAtMs: NOW, disabledReason: 'failing' };

    it('when it responds that it is gone, also to a test', () => {
      for (const event of ['animal.added', 'webhook.test'] as const)
        expect(afterTry(aWebhook(), aDelivery({ event }), GONE, NOW)).toMatchObject({
          disabledAtMs: NOW,
          disabledReason: 'gone',
        });
    });

    it('when nothing has arrived for five days, in ten tries', () => {
      expect(afterTry(aWebhook(failing), aDelivery(), SILENT, NOW)).toMatchObject(DEAD);
      expect(afterTry(aWebhook(failing), aDelivery(), REFUSED, NOW)).toMatchObject(DEAD);
    });

    it.each([
      ['for less than five days', { ...failing, failingSinceMs: NOW - 5 * DAY_MS + 1 }],
      ['in fewer tries', { ...failing, failures: 8 }],
    ])('but not %s', (_, state) => {
      expect(afterTry(aWebhook(state), aDelivery(), SILENT, NOW)).toMatchObject({
        failures: state.failures + 1,
        failingSinceMs: state.failingSinceMs,
        disabledAtMs: null,
      });
    });

    it('but not by a test', () => {
      const webhook = aWebhook(failing);
      expect(afterTry(webhook, aDelivery({ event: 'webhook.test' }), SILENT, NOW)).toBe(webhook);
    });

    it('since its first failure behind what arrived', () => {
      const arrived = afterTry(aWebhook(failing), aDelivery(), ARRIVED, NOW);
      expect(arrived).toMatchObject({ failures: 0, failingSinceMs: null, disabledAtMs: null });
      expect(afterTry(arrived, aDelivery(), SILENT, NOW + 1)).toMatchObject({
        failures: 1,
        failingSinceMs: NOW + 1,
        disabledAtMs: null,
      });
    });

    it('until something arrives', () => {
      const disabled = aWebhook({ ...failing, disabledAtMs: NOW, disabledReason: 'failing' });
      for (const outcome of [SILENT, GONE])
        expect(afterTry(disabled, aDelivery(), outcome, NOW + 1)).toBe(disabled);
      const test = aDelivery({ event: 'webhook.test' });
      expect(afterTry(disabled, test, ARRIVED, NOW + 1)).toMatchObject({
        disabledAtMs: null,
        disabledReason: null,
        failures: 0,
      });
    });
  });
});
