import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { NoResponse, OutgoingClient } from '@animal-store/web/outgoing';
import { Settings } from '../../../settings/settings.js';
import type { Delivery, Outcome } from '../../domain/delivery.js';
import { Receivers } from '../../domain/receivers.js';
import { signingSecrets, type Webhook } from '../../domain/webhook.js';

const TIMEOUT_MS = 10_000;
const SENDER = 'AnimalStore-Webhooks/2.0';

/** Sends deliveries over HTTP, signed as Standard Webhooks says. */
@Injectable()
export class HttpReceivers extends Receivers {
  private readonly userAgent: string;

  constructor(
    private readonly outgoing: OutgoingClient,
    { api }: Settings,
  ) {
    super();
    const { ownUrl } = api;
    // The URL ends in /v1, which `docs` replaces.
    this.userAgent = ownUrl === null ? SENDER : `${SENDER} (+${new URL('docs', ownUrl).href})`;
  }

  problemOf(url: string): string | null {
    return this.outgoing.problemOf(url);
  }

  async send(
    webhook: Webhook,
    delivery: Delivery,
    atMs: number,
    signal: AbortSignal,
  ): Promise<Outcome | null> {
    const { eventId, body } = delivery.event;
    const timestamp = String(Math.floor(atMs / 1_000));
    const content = `${eventId}.${timestamp}.${body}`;
    const signatures = signingSecrets(webhook, atMs).map(({ text }) => `v1,${signature(text, content)}`);
    const headers = {
      'content-type': 'application/json',
      'user-agent': this.userAgent,
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
    const request = {
      method: 'POST',
      url: webhook.url,
      headers,
      body,
      timeoutMs: TIMEOUT_MS,
      signal,
    } as const;
    try {
      const { status, retryAfterMs } = await this.outgoing.send(request);
      const isSuccess = status >= 200 && status < 300;
      return { status, problem: isSuccess ? null : `The response was ${status}.`, retryAfterMs };
    } catch (error) {
      if (error instanceof NoResponse) return { status: null, problem: error.message, retryAfterMs: null };
      if (signal.aborted) return null;
      throw error;
    }
  }
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
