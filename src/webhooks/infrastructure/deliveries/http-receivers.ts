import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { NoResponse, OutgoingClient } from '@animal-store/web/outgoing';
import type { Delivery, TryOutcome } from '../../domain/delivery.js';
import { Receivers } from '../../domain/receivers.js';
import { signingSecrets, type Webhook } from '../../domain/webhook.js';

const TIMEOUT_MS = 10_000;

/** Sends deliveries over HTTP, signed as Standard Webhooks says. */
@Injectable()
export class HttpReceivers extends Receivers {
  constructor(private readonly outgoing: OutgoingClient) {
    super();
  }

  problemOf(url: string): string | null {
    return this.outgoing.problemOf(url);
  }

  async send(
    webhook: Webhook,
    delivery: Delivery,
    atMs: number,
    signal: AbortSignal,
  ): Promise<TryOutcome | null> {
    const { eventId, body } = delivery;
    const timestamp = String(Math.floor(atMs / 1_000));
    const content = `${eventId}.${timestamp}.${body}`;
    const signatures = signingSecrets(webhook, atMs).map(({ text }) => `v1,${signature(text, content)}`);
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'webhooks',
      'webhook-id': eventId,
      'webhook-timestamp': timestamp,
      'webhook-signature': signatures.join(' '),
    };
    try {
      const request = {
        url: webhook.url,
        method: 'POST',
        headers,
        body,
        timeoutMs: TIMEOUT_MS,
        signal,
      } as const;
      const { status } = await this.outgoing.send(request);
      const problem = isSuccess(status) ? null : `The response was ${status}.`;
      return { hasResponded: true, status, problem };
    } catch (error) {
      if (error instanceof NoResponse) return { hasResponded: false, status: null, problem: error.message };
      if (signal.aborted) return null;
      throw error;
    }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
