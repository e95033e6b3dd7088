import type { Response, Test } from 'supertest';
import { TestApp } from '../support/test-app.js';

const NO_ORDER = 999;
const orderNotFound = (id: string | number) => ({
  code: 'order_not_found',
  message: `No order of this account has id ${id}.`,
  status: 404,
});

describe('Orders', () => {
  let store: TestApp;
  /** Keys of two accounts that have no orders when a test begins. */
  let zoo: string;
  let circus: string;
  let accounts = 0;

  beforeAll(async () => (store = await TestApp.start()));

  beforeEach(async () => {
    accounts++;
    zoo = await store.key('business', `zoo ${accounts}`);
    circus = await store.key('business', `circus ${accounts}`);
  });

  afterAll(() => store.stop());

  function now(): string {
    return new Date(store.clock.now()).toISOString();
  }

  async function addAnimal(status = 'available'): Promise<number> {
    const response = await store
      .send('POST', '/v1/pets', zoo)
      .send({ name: 'Rex', categoryId: 7, status })
      .expect(201);
    return (response.body as { id: number }).id;
  }

  /** Places an order from JSON text, so that numbers arrive exactly as written. */
  function post(body: string, key = zoo): Test {
    return store.send('POST', '/v1/store/orders', key).set('Content-Type', 'application/json').send(body);
  }

  async function place(key = zoo): Promise<{ orderId: number; petId: number }> {
    const petId = await addAnimal();
    const response = await post(`{"petId":${petId}}`, key).expect(201);
    return { orderId: (response.body as { id: number }).id, petId };
  }

  function get(path: string, key = zoo): Test {
    return store.send('GET', path, key);
  }

  function act(orderId: number | string, action: string, key = zoo): Test {
    return store.send('POST', `/v1/store/orders/${orderId}/${action}`, key);
  }

  /** The ids of orders that are placed one after the other. */
  async function placeSeveral(count: number): Promise<number[]> {
    const orders: number[] = [];
    while (orders.length < count) orders.push((await place()).orderId);
    return orders;
  }

  async function statusOfAnimal(petId: number): Promise<string> {
    return ((await get(`/v1/pets/${petId}`).expect(200)).body as { status: string }).status;
  }

  function ids(response: Response): number[] {
    return (response.body as { id: number }[]).map(({ id }) => id);
  }

  function nextPage(response: Response): string {
    return /^<([^>]+)>; rel="next"$/.exec(response.headers['link'] ?? '')![1]!;
  }

  describe('POST /v1/store/orders', () => {
    it('201: places an order, returns its URL and reserves the animal', async () => {
      const petId = await addAnimal();
      const response = await post(`{"petId":${petId}}`).expect(201);

      const { id } = response.body as { id: number };
      expect(response.text).toBe(
        `{"id":${id},"petId":${petId},"status":"placed","placedAt":"${now()}","updatedAt":"${now()}"}`,
      );
      expect(response.headers['location']).toBe(`/v1/store/orders/${id}`);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(await statusOfAnimal(petId)).toBe('pending');
    });

    it.each(['999', '0', '-1', '9223372036854775807', '-9223372036854775808'])(
      '400 unknown_pet: there is no animal %s',
      async (petId) => {
        expect((await post(`{"petId":${petId}}`).expect(400)).body).toEqual({
          code: 'unknown_pet',
          message: `No animal has the petId ${petId}.`,
          status: 400,
        });
      },
    );

    it.each([
      ['{}', 'petId is required.'],
      ['{"petId":"1"}', 'petId must be a JSON number, without quotes.'],
      ['{"petId":1.5}', 'petId must be a whole number from -9223372036854775808 to 9223372036854775807.'],
      [
        '{"petId":0.99999999999999999999}',
        'petId must be a whole number from -9223372036854775808 to 9223372036854775807.',
      ],
      ['{"petId":1,"status":"completed"}', '"status" is not a field here (known: petId).'],
      ['{"petId":1,"account":"circus"}', '"account" is not a field here (known: petId).'],
    ])('400 validation_failed: refuses %s', async (body, message) => {
      const petId = await addAnimal();

      expect((await post(body).expect(400)).body).toEqual({
        code: 'validation_failed',
        message,
        status: 400,
      });
      expect(await statusOfAnimal(petId)).toBe('available');
    });

    it.each(['pending', 'sold'])('409 pet_not_available: refuses an animal that is %s', async (status) => {
      const petId = await addAnimal(status);

      expect((await post(`{"petId":${petId}}`).expect(409)).body).toEqual({
        code: 'pet_not_available',
        message: `Animal ${petId} is ${status} and cannot be reserved.`,
        status: 409,
      });
      expect((await get('/v1/store/orders')).body).toEqual([]);
    });
  });

  describe('GET /v1/store/orders', () => {
    it('200: lists the orders of all keys of the account, and of no other account', async () => {
      const first = await place(zoo);
      const second = await place(circus);
      const third = await place(await store.key('free', `zoo ${accounts}`));

      expect(ids(await get('/v1/store/orders', zoo).expect(200))).toEqual([first.orderId, third.orderId]);
      expect(ids(await get('/v1/store/orders', circus).expect(200))).toEqual([second.orderId]);
    });

    it.each([
      ['status', 'status=placed', 'limit=2&status=placed'],
      ['several statuses', 'status=placed&status=completed', 'limit=2&status=completed&status=placed'],
    ])('200: filters every page by %s, in ascending order of id', async (_, query, next) => {
      const placed = await placeSeveral(5);
      await act(placed[1]!, 'cancel').expect(200);
      if (query.includes('completed')) await act(placed[2]!, 'complete').expect(200);
      const expected = placed.filter((id) => id !== placed[1]);

      const first = await get(`/v1/store/orders?${query}&limit=2`).expect(200);
      expect(ids(first)).toEqual(expected.slice(0, 2));
      expect(nextPage(first)).toContain(`/v1/store/orders?${next}&cursor=`);
      const second = await get(nextPage(first)).expect(200);
      expect(ids(second)).toEqual(expected.slice(2));
      expect(second.headers['link']).toBeUndefined();
    });

    it('200: a list of statuses is a set: their order and repetitions do not matter, also to a cursor', async () => {
      const [one, two, three] = await placeSeveral(3);
      await act(two!, 'cancel').expect(200);

      const first = await get('/v1/store/orders?status=placed&status=cancelled&status=placed&limit=1').expect(
        200,
      );
      expect(ids(first)).toEqual([one]);
      const { searchParams } = new URL(nextPage(first), 'http://store');
      const page = `limit=1&cursor=${searchParams.get('cursor')}`;
      expect(ids(await get(`/v1/store/orders?status=placed&status=cancelled&${page}`).expect(200))).toEqual([
        two,
      ]);
      expect(ids(await get('/v1/store/orders?status=placed&status=placed').expect(200))).toEqual([
        one,
        three,
      ]);
      await get(`/v1/store/orders?status=placed&${page}`).expect(400);
    });

    it.each([
      ['limit=101', 'limit must be a whole number from 1 to 100.'],
      ['status=available', 'each value in status must be one of placed, completed, cancelled.'],
      ['status=', 'each value in status must be one of placed, completed, cancelled.'],
      ['status=placed,completed', 'each value in status must be one of placed, completed, cancelled.'],
      ['status=placed&status=sold', 'each value in status must be one of placed, completed, cancelled.'],
      [
        'status=placed&status=placed&status=placed&status=placed',
        'status must contain no more than 3 elements.',
      ],
    ])('400 invalid_parameter: refuses %s', async (query, message) => {
      expect((await get(`/v1/store/orders?${query}`).expect(400)).body).toEqual({
        code: 'invalid_parameter',
        message,
        status: 400,
      });
    });

    it('400 invalid_cursor: refuses a cursor of the list of animals', async () => {
      await place();
      await place();
      const cursor = new URL(nextPage(await get('/v1/pets?limit=1')), 'http://store').searchParams.get(
        'cursor',
      );

      const response = await get(`/v1/store/orders?limit=1&cursor=${cursor}`).expect(400);
      expect(response.body).toMatchObject({ code: 'invalid_cursor', status: 400 });
    });
  });

  describe('GET /v1/store/orders/{orderId}', () => {
    it('200: returns the order', async () => {
      const { orderId, petId } = await place();

      expect((await get(`/v1/store/orders/${orderId}`).expect(200)).text).toBe(
        `{"id":${orderId},"petId":${petId},"status":"placed","placedAt":"${now()}","updatedAt":"${now()}"}`,
      );
    });

    it('404: hides the order of another account', async () => {
      const { orderId } = await place(zoo);

      expect((await get(`/v1/store/orders/${orderId}`, circus).expect(404)).body).toEqual(
        orderNotFound(orderId),
      );
    });

    it.each([`${NO_ORDER}`, '9223372036854775808', 'abc'])('404: there is no order %s', async (orderId) => {
      expect((await get(`/v1/store/orders/${orderId}`).expect(404)).body).toEqual(orderNotFound(orderId));
    });
  });

  describe.each([
    ['complete', 'completed', 'sold'],
    ['cancel', 'cancelled', 'available'],
  ])('POST /v1/store/orders/{orderId}/%s', (action, status, statusAfter) => {
    it('200: finishes the order and changes the status of its animal', async () => {
      const placedAt = now();
      const { orderId, petId } = await place();
      store.clock.advance(90_061_500);

      const response = await act(orderId, action).expect(200);

      expect(response.text).toBe(
        `{"id":${orderId},"petId":${petId},"status":"${status}","placedAt":"${placedAt}","updatedAt":"${now()}"}`,
      );
      const shown = await get(`/v1/store/orders/${orderId}`);
      expect([response.text, response.headers['etag']]).toEqual([shown.text, shown.headers['etag']]);
      expect(await statusOfAnimal(petId)).toBe(statusAfter);
    });

    it('200: If-Match names the ETag of the order as it was placed or fetched, alone, in a list, or as *', async () => {
      for (const form of [(tag: string) => tag, (tag: string) => `"a,b" , W/"c",${tag}`, () => ' * ']) {
        const { orderId } = await place();
        const { headers } = await get(`/v1/store/orders/${orderId}`);
        await act(orderId, action).set('If-Match', form(headers['etag']!)).expect(200);
      }
    });

    it('412 precondition_failed: If-Match names another state, also of a finished order; nothing changes', async () => {
      const { orderId, petId } = await place();
      const before = (await get(`/v1/store/orders/${orderId}`)).headers['etag']!;

      const other = 'The resource has another ETag than If-Match names.';
      const weak =
        'If-Match has a weak tag (W/), as of a response that a proxy has compressed. Fetch the resource with "Accept-Encoding: identity".';
      for (const [condition, message] of [
        ['"other"', other],
        [`"${before.slice(2)}`, other],
        [`W/${before}`, weak],
      ] as const) {
        const { body } = await act(orderId, action).set('If-Match', condition).expect(412);
        expect(body).toEqual({ code: 'precondition_failed', message, status: 412 });
      }
      expect(await statusOfAnimal(petId)).toBe('pending');
      await act(orderId, 'cancel').expect(200);
      await act(orderId, action).set('If-Match', before).expect(412);
      await act(orderId, action).set('If-Match', '*').expect(409);
      await act(NO_ORDER, action).set('If-Match', '*').expect(404);
    });

    it('404: does not finish the order of another account', async () => {
      const { orderId, petId } = await place(zoo);

      expect((await act(orderId, action, circus).expect(404)).body).toEqual(orderNotFound(orderId));
      expect((await get(`/v1/store/orders/${orderId}`)).body).toMatchObject({ status: 'placed' });
      expect(await statusOfAnimal(petId)).toBe('pending');
    });

    it.each([`${NO_ORDER}`, '9223372036854775808', 'abc'])('404: there is no order %s', async (orderId) => {
      expect((await act(orderId, action).expect(404)).body).toEqual(orderNotFound(orderId));
    });

    it.each([
      ['complete', 'completed'],
      ['cancel', 'cancelled'],
    ])('409 order_not_open: fails after %s', async (before, statusBefore) => {
      const { orderId } = await place();
      await act(orderId, before).expect(200);

      expect((await act(orderId, action).expect(409)).body).toEqual({
        code: 'order_not_open',
        message: `Order ${orderId} is ${statusBefore} already.`,
        status: 409,
      });
    });
  });

  describe('If-Match', () => {
    it.each(['', ' ', ',', 'abc', '"abc', 'abc"', '"a" "b"', 'w/"a"', '*, "a"', '"a b"'])(
      '400 invalid_parameter: refuses If-Match: %s',
      async (condition) => {
        const { orderId } = await place();
        const { body } = await act(orderId, 'complete').set('If-Match', condition).expect(400);
        expect(body).toEqual({
          code: 'invalid_parameter',
          message: 'If-Match must be the ETag of the resource in double quotes, a list of such tags, or *.',
          status: 400,
        });
      },
    );

    it('200: a retry with an Idempotency-Key gets the first response, although the ETag has changed', async () => {
      const { orderId } = await place();
      const tag = (await get(`/v1/store/orders/${orderId}`)).headers['etag']!;
      const retry = () => act(orderId, 'complete').set({ 'Idempotency-Key': 'once', 'If-Match': tag });
      const first = await retry().expect(200);
      const second = await retry().expect(200);
      expect(second.headers['idempotent-replayed']).toBe('true');
      expect([second.text, second.headers['etag']]).toEqual([first.text, first.headers['etag']]);
    });
  });
});
