import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { JobWorker } from '@animal-store/jobs';
import { DAY_MS, parseJson } from '@animal-store/kernel';
import { OutgoingClient } from '@animal-store/web/outgoing';
import { FanOutEvents } from '../../src/webhooks/application/events/fan-out-events.service.js';
import { EventInterests } from '../../src/webhooks/application/events/event-interests.js';
import { FindKey } from '../../src/access/application/find-key.use-case.js';
import { problemsOf, readSchema } from '../fuzz/schemas.js';
import { TestApp } from '../support/test-app.js';
import { type Received, verify, WebhookReceiver } from '../support/webhook-receiver.js';

const EVENTS = [
  'animal.added',
  'animal.status_changed',
  'order.placed',
  'order.completed',
  'order.cancelled',
];

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

interface Created {
  readonly id: number;
  readonly secret: string;
}

describe('Webhooks', () => {
  let store: TestApp;
  let receiver: WebhookReceiver;
  /** Keys of two accounts that have no webhooks when a test begins. */
  let zoo: string;
  let circus: string;
  let accounts = 0;
  /** Of each webhook, the delivery of the test that has enabled it. */
  const tests = new Map<number, number>();

  beforeAll(async () => {
    store = await TestApp.start({ OUTGOING_ALLOW_PRIVATE: 'true' });
  });

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
    // The reference implementation verifies by the time of the machine.
    store.clock.set(new Date().toISOString());
    accounts++;
    zoo = await store.key('business', `zoo ${accounts}`);
    circus = await store.key('business', `circus ${accounts}`);
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    // So that it is notified of nothing that later tests do.
    for (const key of [zoo, circus])
      for (const { id } of (await get('/v1/webhooks?limit=100', key)).body as Created[])
        await remove(`/v1/webhooks/${id}`, key);
    await runJobs();
    await receiver.stop();
  });

  afterAll(() => store.stop());

  const post = (path: string, body: object = {}, key = zoo) => store.send('POST', path, key).send(body);
  const get = (path: string, key = zoo) => store.send('GET', path, key);
  const remove = (path: string, key = zoo) => store.send('DELETE', path, key);
  async function runJobs(): Promise<void> {
    for (let ran = 1; ran > 0;) {
      await store.app.get(FanOutEvents).runDue();
      ran = (await store.app.get(JobWorker).runDue()).length;
    }
  }

  async function create(events: readonly string[], path = '/', key = zoo): Promise<Created> {
    const { body } = await post('/v1/webhooks', { url: receiver.url(path), events }, key).expect(201);
    // Its test arrives.
    const { respond } = receiver;
    receiver.respond = (_, response) => void response.writeHead(204).end();
    await runJobs();
    receiver.respond = respond;
    receiver.received.length = 0;
    const created = body as Created;
    const { body: deliveries } = await get(`/v1/webhooks/${created.id}/deliveries`, key).expect(200);
    tests.set(created.id, (deliveries as Created[])[0]!.id);
    return created;
  }

  async function addAnimal(): Promise<{ id: number }> {
    const { body } = await post('/v1/pets', { name: 'Rex', categoryId: 7 }).expect(201);
    return body as { id: number };
  }

  async function deliveries(id: number, query = ''): Promise<Record<string, unknown>[]> {
    const { body } = await get(`/v1/webhooks/${id}/deliveries${query}`).expect(200);
    // Without the test that has enabled it.
    return (body as Record<string, unknown>[]).filter(({ id: one }) => one !== tests.get(id));
  }

  describe('POST /v1/webhooks', () => {
    it('201: creates one, and shows its secret', async () => {
      const body = { url: 'https://shop.example/hooks?a=b', events: ['order.placed', 'animal.added'] };
      const { headers, body: created } = await post('/v1/webhooks', body).expect(201);

      const { id, secret, ...rest } = created as Created;
      expect(headers['location']).toBe(`/v1/webhooks/${id}`);
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32);
      expect(rest).toEqual({
        ...body,
        status: 'pending',
        createdBy: (await store.app.get(FindKey).execute({ hash: sha256(zoo) })).id,
        createdAt: new Date(store.clock.now()).toISOString(),
        failingSince: null,
        pausedUntil: null,
        disabledAt: null,
        disabledReason: null,
      });
      const { body: shown } = await get(`/v1/webhooks/${id}`).expect(200);
      expect(shown).toEqual({ id, ...rest });
    });

    const WANTED =
      'url must be a URL such as https://shop.example/webhooks, of at most 2048 visible ASCII characters';

    it.each<[string, object]>([
      ['url is required', { events: ['animal.added'] }],
      ...[
        7,
        `https://x.example/${'x'.repeat(2_048)}`,
        'shop.example',
        'https://shop.example/a b',
        'https://shop.example/łódź',
        'ftp://shop.example',
      ].map((url): [string, object] => [WANTED, { url, events: ['animal.added'] }]),
      ['url must be a URL.', { url: 'https://:443', events: ['animal.added'] }],
      ['url must have the name of a host.', { url: 'http://a..b/', events: ['animal.added'] }],
      ['url must not have a user name', { url: 'https://me:secret@shop.example', events: ['animal.added'] }],
      ['events must contain at least 1', { url: 'https://shop.example', events: [] }],
      ['each value in events must be one of', { url: 'https://shop.example', events: ['animal.sold'] }],
      ['each value in events must be one of', { url: 'https://shop.example', events: ['webhook.test'] }],
      ['url must not have a backslash', { url: 'https://a.example\\@127.0.0.1/', events: ['animal.added'] }],
      ['secret', { url: 'https://shop.example', events: ['animal.added'], secret: 'mine' }],
    ])('400 validation_failed: %s', async (message, body) => {
      const { body: error } = await post('/v1/webhooks', body).expect(400);
      expect(error).toEqual({
        code: 'validation_failed',
        message: expect.stringContaining(message) as string,
        status: 400,
      });
    });
  });

  describe('GET /v1/events', () => {
    it('200: has what was sent, byte for byte, in pages, also by id', async () => {
      await create(EVENTS);
      const { id } = await addAnimal();
      await post('/v1/store/orders', { petId: id }).expect(201);
      await runJobs();
      store.clock.advance(10_000);

      const sent = new Map(receiver.received.map(({ headers, body }) => [headers['webhook-id']!, body]));
      const first = await get('/v1/events?type=order.placed&type=animal.status_changed&limit=1').expect(200);
      const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)!;
      const mine = [];
      for (let path = next!; path !== '';) {
        const page = await get(path).expect(200);
        mine.push(...(page.body as { id: string; body: string }[]));
        path = /<([^>]+)>; rel="next"/.exec(page.headers['link'] ?? '')?.[1] ?? '';
      }
      for (const [eventId, body] of sent) {
        const { body: event } = await get(`/v1/events/${eventId}`).expect(200);
        expect((event as { body: string }).body).toBe(body);
      }
      expect(mine.filter(({ id: one }) => sent.has(one)).length).toBeGreaterThan(0);
      const order = receiver.received.find(({ body }) => body.includes('"order.placed"'))!;
      await get(`/v1/events/${order.headers['webhook-id']!}`, circus).expect(404);
      await get('/v1/events/evt_unknown').expect(404);
    });

    it('403: a key reads what its scopes read', async () => {
      await create(EVENTS);
      await addAnimal();
      store.clock.advance(10_000);
      const limited = await store.key('business', `zoo ${accounts}`, ['pets:read']);
      const { body } = await get('/v1/events?limit=100', limited).expect(200);

      expect(new Set((body as { type: string }[]).map(({ type }) => type.split('.')[0]))).toEqual(
        new Set(['animal']),
      );
      await get('/v1/events?type=order.placed', limited).expect(403);
      await get('/v1/events', await store.key('business', `zoo ${accounts}`, ['webhooks:read'])).expect(403);
    });
  });

  describe('A webhook of another account', () => {
    it('404: does not exist', async () => {
      const { id } = await create(['animal.added']);
      const { body: test } = await post(`/v1/webhooks/${id}/test`).expect(202);
      const delivery = `/v1/webhooks/${id}/deliveries/${(test as Created).id}/retry`;

      await get(`/v1/webhooks/${id}`, circus).expect(404);
      await remove(`/v1/webhooks/${id}`, circus).expect(404);
      for (const action of ['rotate-secret', 'test'])
        await post(`/v1/webhooks/${id}/${action}`, {}, circus).expect(404);
      await get(`/v1/webhooks/${id}/deliveries`, circus).expect(404);
      await post(delivery, {}, circus).expect(404);
      expect((await get('/v1/webhooks', circus).expect(200)).body).toEqual([]);
      await get(`/v1/webhooks/${id}`).expect(200);
    });
  });

  describe('GET /v1/webhooks', () => {
    it('200: lists those of the account in pages, without secrets', async () => {
      const ids: number[] = [];
      for (let count = 0; count < 3; count++) ids.push((await create(['animal.added'])).id);
      await create(['animal.added'], '/', circus);

      const first = await get('/v1/webhooks?limit=2').expect(200);
      const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)!;
      const second = await get(next!).expect(200);
      const found = [...(first.body as Created[]), ...(second.body as Created[])];
      expect(found.map(({ id }) => id)).toEqual(ids);
      expect(JSON.stringify(found)).not.toContain('whsec_');
      expect(second.headers['link']).toBeUndefined();
    });
  });

  describe('An event', () => {
    const document: unknown = JSON.parse(readFileSync('docs/openapi.json', 'utf8'));

    /** What the `webhooks` of the document say against a request. */
    function problemsOfRequest({ headers, body }: Received): string[] {
      const { type } = JSON.parse(body) as { type: string };
      const check = (place: string, value: unknown) => {
        const $ref = `#/webhooks/${type}/post/${place}/schema`;
        return problemsOf(readSchema(document, { $ref }, $ref), value);
      };
      const inHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
      return [
        ...check('requestBody/content/application~1json', JSON.parse(body)),
        ...inHeaders.flatMap((name, index) => check(`parameters/${index}`, headers[name])),
      ];
    }

    it('is sent as the document says, signed as Standard Webhooks says, with what the API shows', async () => {
      const { secret } = await create(EVENTS);
      const animal = await addAnimal();
      const { body: placed } = await post('/v1/store/orders', { petId: animal.id }).expect(201);
      const order = `/v1/store/orders/${(placed as Created).id}`;
      const { body: cancelled } = await post(`${order}/cancel`).expect(200);
      const { body: again } = await post('/v1/store/orders', { petId: animal.id }).expect(201);
      const { body: completed } = await post(`/v1/store/orders/${(again as Created).id}/complete`).expect(
        200,
      );
      await runJobs();

      for (const one of receiver.received) {
        expect(problemsOfRequest(one)).toEqual([]);
        expect(verify(one, secret)).toEqual(JSON.parse(one.body));
        expect(one.headers['content-type']).toBe('application/json');
      }
      const sent = receiver.events().map(({ type, data }) => JSON.stringify([type, data]));
      expect(sent.sort()).toEqual(
        [
          ['animal.added', animal],
          ['animal.status_changed', { ...animal, status: 'pending' }],
          ['order.placed', placed],
          ['animal.status_changed', animal],
          ['order.cancelled', cancelled],
          ['animal.status_changed', { ...animal, status: 'pending' }],
          ['order.placed', again],
          ['animal.status_changed', { ...animal, status: 'sold' }],
          ['order.completed', completed],
        ]
          .map((event) => JSON.stringify(event))
          .sort(),
      );
    });

    it('has exact int64s', async () => {
      await create(['animal.added']);
      await store
        .send('POST', '/v1/pets', zoo)
        .set('Content-Type', 'application/json')
        .send('{"name":"Łucja 🦜","categoryId":-9223372036854775808}')
        .expect(201);
      await runJobs();

      const { data } = parseJson(receiver.received[0]!.body) as { data: object };
      expect(data).toMatchObject({ name: 'Łucja 🦜', categoryId: -9223372036854775808n });
    });

    it('is nothing of a request that is refused, and nothing of a replay', async () => {
      await create(EVENTS);
      await post('/v1/pets', { name: ' ', categoryId: 7 }).expect(400);
      const once = () =>
        post('/v1/pets', { name: 'Rex', categoryId: 7 })
          .set('Idempotency-Key', `animal-${accounts}`)
          .expect(201);
      const { body } = await once();
      await once();
      await post('/v1/store/orders', { petId: (body as Created).id }).expect(201);
      await post('/v1/store/orders', { petId: (body as Created).id }).expect(409);
      await runJobs();

      expect(
        receiver
          .events()
          .map(({ type }) => type)
          .sort(),
      ).toEqual(['animal.added', 'animal.status_changed', 'order.placed']);
    });
  });

  describe('POST /v1/webhooks/{webhookId}/rotate-secret', () => {
    it('200: both secrets sign for a day', async () => {
      const { id, secret } = await create(['animal.added']);
      const { body } = await post(`/v1/webhooks/${id}/rotate-secret`).expect(200);
      const { secret: next, ...rest } = body as Created;
      expect(rest).toEqual((await get(`/v1/webhooks/${id}`)).body);
      await addAnimal();
      await runJobs();
      const [both] = receiver.received;
      expect(both!.headers['webhook-signature']!.split(' ')).toHaveLength(2);
      for (const one of [secret, next]) verify(both!, one);

      store.clock.set(new Date(Date.now() + DAY_MS).toISOString());
      await addAnimal();
      await runJobs();
      const later = receiver.received[1]!;
      expect(later.headers['webhook-signature']!.split(' ')).toHaveLength(1);
      jest.useFakeTimers({
        now: store.clock.now(),
        doNotFake: ['nextTick', 'setImmediate', 'setTimeout', 'setInterval'],
      });
      try {
        verify(later, next);
        expect(() => verify(later, secret)).toThrow('No matching signature found');
      } finally {
        jest.useRealTimers();
      }
    });
  });

  describe('POST /v1/webhooks/{webhookId}/test', () => {
    it('202: sends an event without a meaning, and shows the outcome', async () => {
      const { id, secret } = await create(['order.placed']);
      const { body } = await post(`/v1/webhooks/${id}/test`).expect(202);
      expect(body).toMatchObject({ event: 'webhook.test', status: 'pending', attempts: 0 });
      await runJobs();

      expect(receiver.events()).toMatchObject([{ type: 'webhook.test', data: {} }]);
      verify(receiver.received[0]!, secret);
      expect(receiver.received[0]!.headers['webhook-id']).toBe((body as { eventId: string }).eventId);
      expect(await deliveries(id)).toMatchObject([{ status: 'delivered', attempts: 1, responseStatus: 204 }]);
    });
  });

  describe('GET /v1/webhooks/{webhookId}/deliveries', () => {
    it('200: lists the newest first, in pages, also by status', async () => {
      const { id } = await create(['animal.added']);
      receiver.respond = ({ body }, response) =>
        void response.writeHead(body.includes('"type":"webhook.test"') ? 500 : 200).end();
      for (let count = 0; count < 3; count++) await addAnimal();
      await runJobs();
      await post(`/v1/webhooks/${id}/test`).expect(202);
      await runJobs();

      const all = await deliveries(id);
      expect(all.map(({ event }) => event)).toEqual([
        'webhook.test',
        ...Array<string>(3).fill('animal.added'),
      ]);
      expect(all.map(({ id: one }) => one)).toEqual(
        [...all.map(({ id: one }) => one)].sort((a, b) => Number(b) - Number(a)),
      );
      const first = await get(`/v1/webhooks/${id}/deliveries?limit=3`).expect(200);
      const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)!;
      const second = await get(next!).expect(200);
      const shown = [...(first.body as object[]), ...(second.body as object[])];
      // The last one is the test that has enabled it.
      expect(shown.slice(0, -1)).toEqual(all);
      expect(await deliveries(id, '?status=failed')).toEqual([all[0]]);
      expect(await deliveries(id, '?status=pending')).toEqual([]);
      await get(`/v1/webhooks/${id}/deliveries?status=lost`).expect(400);
    });
  });

  describe('POST …/deliveries/{deliveryId}/retry', () => {
    it('202: sends it again under the same webhook-id', async () => {
      const { id } = await create(['animal.added']);
      receiver.respond = (_, response) => void response.writeHead(503).end();
      await addAnimal();
      await runJobs();
      const [failing] = await deliveries(id);
      expect(failing).toMatchObject({
        status: 'pending',
        attempts: 1,
        responseStatus: 503,
        problem: 'The response was 503.',
        nextAttemptAt: new Date(store.clock.now() + 5_000).toISOString(),
      });
      receiver.respond = (_, response) => void response.writeHead(200).end();
      store.clock.advance(1);
      await store.app.get(EventInterests).refresh();
      await post(`/v1/webhooks/${id}/deliveries/${String(failing!['id'])}/retry`).expect(202);
      await runJobs();

      expect(await deliveries(id)).toMatchObject([
        { status: 'delivered', attempts: 1, responseStatus: 200, problem: null },
      ]);
      expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      await post(`/v1/webhooks/${id}/deliveries/${String(failing!['id'])}/retry`).expect(202);
      await runJobs();
      expect(receiver.received).toHaveLength(3);
    });
  });

  describe('A receiver', () => {
    it('that is gone is shown with the reason', async () => {
      const { id } = await create(['animal.added']);
      await receiver.stop();
      await addAnimal();
      await runJobs();
      receiver = await WebhookReceiver.start();

      expect(await deliveries(id)).toMatchObject([
        {
          status: 'pending',
          responseStatus: null,
          problem: 'The connection failed: ECONNREFUSED.',
          // Not after 5 s, as a receiver that does not respond rests.
          nextAttemptAt: new Date(store.clock.now() + 10_000).toISOString(),
        },
      ]);
      const { failingSince, status } = (await get(`/v1/webhooks/${id}`)).body as Record<string, unknown>;
      expect({ failingSince, status }).toEqual({
        failingSince: new Date(store.clock.now()).toISOString(),
        status: 'enabled',
      });
    });
  });
});

describe('Without the setting for development', () => {
  let store: TestApp;
  let key: string;

  beforeAll(async () => {
    store = await TestApp.start();
    key = await store.key();
  });

  afterAll(() => store.stop());

  const create = (url: string) =>
    store.send('POST', '/v1/webhooks', key).send({ url, events: ['animal.added'] });

  it.each([
    ['url must have a public address.', 'https://127.0.0.1/'],
    ['url must have a public address.', 'https://169.254.169.254/latest/meta-data/'],
    ['url must have a public address.', 'http://localhost/'],
    ['url must have port 443 or 80.', 'https://shop.example:8443/'],
  ])('400 validation_failed: %s %s', async (message, url) => {
    const { body } = await create(url).expect(400);
    expect(body).toEqual({ code: 'validation_failed', message, status: 400 });
  });

  it('nothing is sent to a name that has a private address', async () => {
    const receiver = await WebhookReceiver.start();
    const { body } = await create('https://rebinding.example/').expect(201);
    const lookedUp: string[] = [];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      return ['127.0.0.1'];
    };
    Object.assign(store.app.get(OutgoingClient), { resolve });
    await store.app.get(JobWorker).runDue();

    const { body: found } = await store.send('GET', `/v1/webhooks/${(body as Created).id}/deliveries`, key);
    expect(found).toMatchObject([
      {
        status: 'pending',
        responseStatus: null,
        problem: 'The host of the URL cannot be reached.',
      },
    ]);
    expect([lookedUp, receiver.received]).toEqual([['rebinding.example'], []]);
    await receiver.stop();
  });
});
