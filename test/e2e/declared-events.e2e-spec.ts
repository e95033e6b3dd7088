import { JobWorker } from '@animal-store/jobs';
import { Outbox, UnitOfWork } from '@animal-store/kernel';
import { FanOutEvents } from '../../src/webhooks/application/events/fan-out-events.service.js';
import { MealServed } from '../support/meal-events.js';
import { TestApp } from '../support/test-app.js';
import { verify, WebhookReceiver } from '../support/webhook-receiver.js';

jest.mock('../../src/contexts.js', () => {
  const contexts = jest.requireActual<{ scopes: object[] }>('../../src/contexts.js');
  const { mealScopes } = jest.requireActual<{ mealScopes: object[] }>('../support/meal-events.js');
  return { ...contexts, scopes: [...contexts.scopes, ...mealScopes] };
});
jest.mock('../../src/events.js', () => {
  const { events } = jest.requireActual<{ events: object[] }>('../../src/events.js');
  const { mealServed } = jest.requireActual<{ mealServed: object }>('../support/meal-events.js');
  return { events: [...events, mealServed] };
});

const EVENTS = ['meal.served'];

interface Document {
  readonly webhooks: Record<string, { post: object }>;
  readonly components: { readonly schemas: Record<string, object> };
}

describe('An event that a context declares', () => {
  let store: TestApp;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    [store, receiver] = await Promise.all([
      TestApp.start({ OUTGOING_ALLOW_PRIVATE: 'true' }),
      WebhookReceiver.start(),
    ]);
    // The reference implementation verifies by the time of the machine.
    store.clock.set(new Date().toISOString());
  });

  afterAll(async () => {
    await store.stop();
    await receiver.stop();
  });

  const post = (path: string, body: object, key: string) => store.send('POST', path, key).send(body);

  async function runJobs(): Promise<void> {
    for (let ran = 1; ran > 0;) {
      await store.app.get(FanOutEvents).runDue();
      ran = (await store.app.get(JobWorker).runDue()).length;
    }
  }

  it('is in the document, with the class of its data', async () => {
    const { body } = await store.send('GET', '/openapi.json', null).expect(200);
    const { webhooks, components } = body as Document;

    expect(webhooks['meal.served']).toMatchObject({
      post: {
        operationId: 'mealServed',
        summary: 'A meal was served',
        requestBody: {
          content: {
            'application/json': {
              schema: { $ref: '#/components/schemas/MealEvent' },
              example: { type: 'meal.served', version: 7, data: { dish: 'hay' } },
            },
          },
        },
      },
    });
    expect(components.schemas).toMatchObject({
      WebhookEvent: { enum: expect.arrayContaining(EVENTS) as string[] },
      MealEvent: { properties: { data: { allOf: [{ $ref: '#/components/schemas/Meal' }] } } },
    });
  });

  it('needs the scope that it names', async () => {
    const url = 'https://shop.example';
    const without = await store.key('business', 'zoo', ['webhooks:write', 'pets:read', 'orders:read']);
    const { headers } = await post('/v1/webhooks', { url, events: EVENTS }, without).expect(403);

    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="meals:read"');
    await store.send('GET', '/v1/events?type=meal.served', without).expect(403);
  });

  it('notifies its account alone, which can read it', async () => {
    const secrets = new Map<string, string>();
    for (const account of ['zoo', 'circus']) {
      const key = await store.key('business', account);
      const { body } = await post('/v1/webhooks', { url: receiver.url(`/${account}`), events: EVENTS }, key);
      secrets.set(account, (body as { secret: string }).secret);
    }
    await runJobs();
    await store.app
      .get(UnitOfWork)
      .run((transaction) => store.app.get(Outbox).add(new MealServed('zoo', 'hay'), transaction));
    await runJobs();

    const deliveries = receiver.received.filter(({ body }) => !body.includes('webhook.test'));
    expect(deliveries.map(({ path }) => path)).toEqual(['/zoo']);
    expect(verify(deliveries[0]!, secrets.get('zoo')!)).toMatchObject({
      type: 'meal.served',
      version: 7,
      data: { dish: 'hay' },
    });
    const read = async (account: string) =>
      store.announced('meal.served', await store.key('business', account, ['meals:read']));
    expect(await read('zoo')).toEqual([{ dish: 'hay' }]);
    expect(await read('circus')).toEqual([]);
  });
});
