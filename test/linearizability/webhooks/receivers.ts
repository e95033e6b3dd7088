import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../../support/random.js';
import { type Received, verify, WebhookReceiver } from '../../support/webhook-receiver.js';
import { type Delivered, textOf } from './check.js';

export const MANNERS = ['well', 'slow', 'silent', 'refusing', 'breaking'] as const;
/** How a receiver behaves now and then. */
export type Manners = (typeof MANNERS)[number];

/** How often. The service rests after a request without a response. */
const EVERY_MS: Record<Exclude<Manners, 'well'>, readonly [number, number]> = {
  slow: [1_000, 4_000],
  silent: [15_000, 25_000],
  refusing: [200, 1_000],
  breaking: [8_000, 16_000],
};
const SLOW_MS = [200, 1_500] as const;
const TEST = 'webhook.test';

interface Receiving {
  readonly webhook: string;
  readonly secret: string;
  readonly manners: Manners;
  /** When it next behaves so. */
  nextMs: number;
}

/** Receivers of webhooks, each at a path of its own, and what they have got. */
export class Receivers {
  readonly deliveries: (Delivered & { toMs: number; hasArrived: boolean })[] = [];
  readonly eventIds = new Set<string>();
  private readonly receiving = new Map<string, Receiving>();
  /** What was not received well is so the second time, as the third try is minutes later. */
  private readonly spared = new Set<string>();
  private areWell = false;

  private constructor(
    private readonly server: WebhookReceiver,
    private readonly random: Random,
  ) {
    server.respond = (request, response) => void this.receive(request, response);
  }

  static async start(random: Random): Promise<Receivers> {
    return new Receivers(await WebhookReceiver.start(), random);
  }

  url(webhook: string): string {
    return this.server.url(`/${webhook}`);
  }

  /** Begins to receive what is sent to the URL of this webhook. */
  add(webhook: string, manners: Manners, secret: string): void {
    this.receiving.set(`/${webhook}`, { webhook, manners, secret, nextMs: 0 });
  }

  /** From now on all respond at once. */
  behaveWell(): void {
    this.areWell = true;
  }

  async stop(): Promise<void> {
    await this.server.stop();
    const nowMs = performance.now();
    for (const one of this.deliveries) one.toMs = Math.min(one.toMs, nowMs);
  }

  private async receive(request: Received, response: ServerResponse): Promise<void> {
    const { type, data } = JSON.parse(request.body) as { type: string; data: Parameters<typeof textOf>[1] };
    // A new webhook is notified of nothing before; its secret may not be known yet.
    if (type === TEST) return void response.writeHead(204).end();
    const receiving = this.receiving.get(request.path)!;
    const { webhook, secret } = receiving;
    const eventId = request.headers['webhook-id']!;
    const delivered = {
      ...{ webhook, eventId, what: textOf(type, data), isSigned: isSigned(request, secret) },
      ...{ fromMs: performance.now(), toMs: Infinity, hasArrived: false },
    };
    // A long run receives much.
    this.server.received.length = 0;
    this.deliveries.push(delivered);
    this.eventIds.add(eventId);
    response.on('close', () => (delivered.toMs = Math.min(delivered.toMs, performance.now())));
    const manners = this.mannersFor(receiving, eventId);
    if (manners === 'silent') return;
    if (manners === 'breaking') return void response.destroy();
    if (manners === 'slow') await delay(this.random.between(...SLOW_MS));
    delivered.toMs = Math.min(delivered.toMs, performance.now());
    delivered.hasArrived = manners !== 'refusing';
    response.writeHead(delivered.hasArrived ? 204 : 500).end();
  }

  private mannersFor(receiving: Receiving, eventId: string): Manners {
    const { webhook, manners, nextMs } = receiving;
    const nowMs = performance.now();
    const name = `${webhook} ${eventId}`;
    if (this.areWell || manners === 'well' || nowMs < nextMs || this.spared.has(name)) return 'well';
    this.spared.add(name);
    receiving.nextMs = nowMs + this.random.between(...EVERY_MS[manners]);
    return manners;
  }
}

function isSigned(request: Received, secret: string): boolean {
  try {
    verify(request, secret);
    return true;
  } catch {
    return false;
  }
}
