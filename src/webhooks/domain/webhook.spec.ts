import { DAY_MS } from '@animal-store/kernel';
import { ARRIVED, BROKEN, GONE, REFUSED, responded, SILENT } from '../testing/fake-receivers.js';
import { aDelivery, anEvent, aWebhook } from '../testing/webhook.builder.js';
import type { Outcome } from './delivery.js';
import {
  afterAttempt,
  fallenBehind,
  isPaused,
  newWebhook,
  nextAttemptAtMs,
  ownedBy,
  signingSecrets,
  type Webhook,
  withNewSecret,
} from './webhook.js';

const NOW = Date.UTC(2026, 2, 14, 12);
const HOUR_MS = 3_600_000;
const TEST = aDelivery({ event: anEvent({ type: 'webhook.test' }) });

describe('A webhook', () => {
  it('is pending when it is new, and enabled when a test has arrived', () => {
    const terms = { account: 'zoo', createdBy: 'key_anna', url: 'https://zoo.example' };
    const webhook = { id: 1n, ...newWebhook({ ...terms, events: ['animal.added'] }, NOW) };

    expect(webhook.status).toBe('pending');
    expect(signingSecrets(webhook, NOW)).toHaveLength(1);
    for (const outcome of [SILENT, REFUSED, BROKEN])
      expect(afterAttempt(webhook, TEST, outcome, NOW)).toBe(webhook);
    expect(afterAttempt(webhook, TEST, ARRIVED, NOW).status).toBe('enabled');
  });

  it('that is disabled is enabled by what was requested since, not by what began before', () => {
    const webhook = aWebhook({ status: 'disabled', disabledAtMs: NOW, disabledReason: 'behind' });
    const after = (startedAtMs: number) =>
      afterAttempt(webhook, aDelivery({ startedAtMs }), ARRIVED, NOW + 9_000);

    expect(after(NOW)).toBe(webhook);
    expect(after(NOW + 1)).toMatchObject({ status: 'enabled', disabledAtMs: null, disabledReason: null });
    for (const outcome of [SILENT, GONE])
      expect(afterAttempt(webhook, aDelivery(), outcome, NOW + 1)).toBe(webhook);
  });

  it('is notified once of an event that was named twice', () => {
    const terms = { account: 'zoo', createdBy: 'key_anna', url: 'https://zoo.example' };
    const { events } = newWebhook(
      { ...terms, events: ['order.placed', 'animal.added', 'order.placed'] },
      NOW,
    );

    expect(events).toEqual(['order.placed', 'animal.added']);
  });

  it('names who has made it when another key has it, or the first known owner', () => {
    expect(ownedBy(aWebhook(), 'key_bert')).toMatchObject({ createdBy: 'key_anna', ownerKey: 'key_bert' });
    const old = aWebhook({ createdBy: null, ownerKey: 'key_cleo' });
    expect(ownedBy(old, null)).toMatchObject({ createdBy: 'key_cleo', ownerKey: null });
  });

  it('signs with each secret for its day when it gets several, but with five at most', () => {
    let webhook = aWebhook();
    const texts = webhook.secrets.map(({ text }) => text);
    const rotate = (hour: number) => {
      webhook = withNewSecret(webhook, NOW + hour * HOUR_MS);
      texts.unshift(webhook.secrets[0]!.text);
    };
    const textsAt = (ms: number) => signingSecrets(webhook, ms).map(({ text }) => text);
    for (let hour = 1; hour <= 3; hour++) rotate(hour);

    expect(textsAt(NOW + 4 * HOUR_MS)).toEqual(texts);
    expect(textsAt(NOW + DAY_MS + HOUR_MS)).toEqual(texts.slice(0, 3));
    for (let hour = 4; hour <= 9; hour++) rotate(hour);
    expect(textsAt(NOW + 9 * HOUR_MS)).toEqual(texts.slice(0, 5));
    expect(new Set(texts).size).toBe(10);
  });

  it('sends next what is due next, and while it is paused only what is requested', () => {
    const due = [
      { rank: 0, atMs: NOW + 9 },
      { rank: 1, atMs: NOW + 5 },
      { rank: 2, atMs: NOW + 7 },
    ];
    const next = (pausedUntilMs: number | null, from = 0) =>
      nextAttemptAtMs({ pausedUntilMs }, due.slice(from));

    expect(next(null)).toBe(NOW + 5);
    expect(next(NOW + 8)).toBe(NOW + 8);
    expect(next(NOW + 20)).toBe(NOW + 9);
    expect(next(NOW + 20, 1)).toBe(NOW + 20);
    expect(next(NOW, 3)).toBeNull();
  });

  describe('is paused', () => {
    const after = (outcome: Outcome, failures: number, facts: Partial<Webhook> = {}) => {
      const { pausedUntilMs } = afterAttempt(aWebhook({ failures, ...facts }), aDelivery(), outcome, NOW);
      return pausedUntilMs === null ? null : pausedUntilMs - NOW;
    };

    it.each<[string, Outcome, number, number | null]>([
      ['for 10 s after its first silence', SILENT, 0, 10_000],
      ['for 40 s after its third one', SILENT, 2, 40_000],
      ['for 5 minutes after many', SILENT, 900, 300_000],
      ['not after its first errors', BROKEN, 3, null],
      ['for 10 s after its fifth error in a row', BROKEN, 4, 10_000],
      ['for 5 minutes after many errors', REFUSED, 19, 300_000],
      ['as long as its Retry-After', responded(429, 60_000), 0, 60_000],
      ['for an hour when its Retry-After is longer', responded(503, 25 * HOUR_MS), 7, HOUR_MS],
    ])('%s', (_, outcome, failures, expected) => {
      expect(after(outcome, failures)).toBe(expected);
    });

    it('no more when something has arrived', () => {
      const paused = aWebhook({ pausedUntilMs: NOW + 1, failures: 7 });
      expect(isPaused(paused, NOW)).toBe(true);
      expect(isPaused(paused, NOW + 1)).toBe(false);
      expect(isPaused(afterAttempt(paused, TEST, ARRIVED, NOW), NOW)).toBe(false);
    });

    it('without a counted attempt when it has a Retry-After', () => {
      const webhook = aWebhook({ failures: 7, failingSinceMs: NOW - 6 * DAY_MS });
      expect(afterAttempt(webhook, aDelivery(), responded(429, 1_000), NOW)).toEqual({
        ...webhook,
        pausedUntilMs: NOW + 1_000,
      });
    });
  });

  describe('is disabled', () => {
    const failing = { failures: 9, failingSinceMs: NOW - 5 * DAY_MS };
    const disabledFor = (disabledReason: Webhook['disabledReason']) => ({
      status: 'disabled',
      disabledAtMs: NOW,
      disabledReason,
    });

    it('when it responds 410, also to a test', () => {
      for (const delivery of [aDelivery(), TEST])
        expect(afterAttempt(aWebhook(), delivery, GONE, NOW)).toMatchObject(disabledFor('gone'));
    });

    it('when nothing has arrived for five days, in ten attempts', () => {
      for (const outcome of [SILENT, BROKEN])
        expect(afterAttempt(aWebhook(failing), aDelivery(), outcome, NOW)).toMatchObject(
          disabledFor('failing'),
        );
    });

    it.each([
      ['for less than five days', { ...failing, failingSinceMs: NOW - 5 * DAY_MS + 1 }],
      ['in fewer attempts', { ...failing, failures: 8 }],
    ])('but not %s', (_, state) => {
      expect(afterAttempt(aWebhook(state), aDelivery(), SILENT, NOW)).toMatchObject({
        failures: state.failures + 1,
        failingSinceMs: state.failingSinceMs,
        status: 'enabled',
      });
    });

    it('when it has refused everything for a day, at least 20 times', () => {
      const refusing = { failures: 19, failingSinceMs: NOW - DAY_MS, refusedSinceMs: NOW - DAY_MS };
      const after = (facts: Partial<Webhook>, outcome = REFUSED) =>
        afterAttempt(aWebhook({ ...refusing, ...facts }), aDelivery(), outcome, NOW);

      expect(after({})).toMatchObject(disabledFor('refused'));
      expect(after({ failures: 18 }).status).toBe('enabled');
      expect(after({ refusedSinceMs: NOW - DAY_MS + 1 }).status).toBe('enabled');
      expect(after({}, BROKEN)).toMatchObject({ status: 'enabled', refusedSinceMs: null });
      expect(after({ refusedSinceMs: null })).toMatchObject({ status: 'enabled', refusedSinceMs: NOW });
    });

    it('but not by a test', () => {
      const webhook = aWebhook(failing);
      expect(afterAttempt(webhook, TEST, SILENT, NOW)).toBe(webhook);
    });

    it('since its first failure after what arrived', () => {
      const arrived = afterAttempt(aWebhook(failing), aDelivery(), ARRIVED, NOW);
      expect(arrived).toMatchObject({ failures: 0, failingSinceMs: null, status: 'enabled' });
      expect(afterAttempt(arrived, aDelivery(), SILENT, NOW + 1)).toMatchObject({
        failures: 1,
        failingSinceMs: NOW + 1,
        status: 'enabled',
      });
    });

    it('when it falls behind, and keeps the reason that it has', () => {
      expect(fallenBehind(aWebhook(), NOW)).toMatchObject(disabledFor('behind'));
      const gone = aWebhook({ status: 'disabled', disabledAtMs: 1, disabledReason: 'gone' });
      expect(fallenBehind(gone, NOW)).toMatchObject(disabledFor('gone'));
    });
  });
});
