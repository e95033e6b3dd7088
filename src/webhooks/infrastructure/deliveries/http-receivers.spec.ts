import type { OutgoingClient } from '@animal-store/web/outgoing';
import { loadSettings } from '../../../settings/settings.js';
import { aDelivery, aWebhook } from '../../testing/webhook.builder.js';
import { HttpReceivers } from './http-receivers.js';

describe('HttpReceivers', () => {
  it.each([
    [{}, 'AnimalStore-Webhooks/2.0'],
    [{ PUBLIC_URL: 'https://store.example/v1' }, 'AnimalStore-Webhooks/2.0 (+https://store.example/docs)'],
    [
      {
        API_ENVIRONMENT: 'staging',
        PUBLIC_URL: 'https://store.example/v1',
        STAGING_URL: 'https://test.example/a/store/v1',
      },
      'AnimalStore-Webhooks/2.0 (+https://test.example/a/store/docs)',
    ],
  ])('says who sends, and where that is documented: %j', async (environment, userAgent) => {
    const sent: Parameters<OutgoingClient['send']>[0][] = [];
    const send = async (request: (typeof sent)[0]) => {
      sent.push(request);
      return { status: 204, retryAfterMs: null, beginning: '' };
    };
    const receivers = new HttpReceivers({ send } as unknown as OutgoingClient, loadSettings(environment));
    await receivers.send(aWebhook(), aDelivery(), 0, new AbortController().signal);

    expect(sent.map(({ headers }) => (headers as Record<string, string>)['user-agent'])).toEqual([userAgent]);
  });
});
