import { TestApp } from '../support/test-app.js';

const BOOKING = {
  petId: 1,
  kennel: 'small',
  firstDay: '2027-01-30',
  lastDay: '2027-01-31',
  price: '147.50',
  arrivesAt: '2027-01-30T09:30:00+01:00',
  meals: [{ at: '08:00', grams: 250 }],
};

describe('Bookings', () => {
  let store: TestApp;
  let key: string;

  beforeEach(async () => {
    store = await TestApp.start();
    key = await store.key('business', 'zoo');
    await store.send('POST', '/v1/pets', key).send({ name: 'Rex', categoryId: 7 }).expect(201);
  });

  afterEach(() => store.stop());

  const send = (method: string, path: string) => store.send(method, path, key);
  const add = (given: object = {}) => send('POST', '/v1/bookings').send({ ...BOOKING, ...given });
  const ids = ({ body }: { body: unknown }) => (body as { id: number }[]).map(({ id }) => id);

  it('201: stores a booking, and shows its price and its instant', async () => {
    const { headers, body } = await add().expect(201);

    expect(headers['location']).toBe('/v1/bookings/1');
    expect(body).toEqual({ ...BOOKING, id: 1, arrivesAt: '2027-01-30T08:30:00.000Z' });
    const { body: read, headers: current } = await send('GET', '/v1/bookings/1').expect(200);
    expect(read).toEqual(body);
    expect(current['etag']).toBe(headers['etag']);
  });

  it.each([
    [{ firstDay: '2027-02-29' }, 'firstDay must be a day that exists, such as 2027-01-31.'],
    [{ firstDay: '2027-W04-6' }, 'firstDay must be a day that exists, such as 2027-01-31.'],
    [{ lastDay: '2027-01-29' }, 'lastDay must not be before firstDay.'],
    ...['1.5', 147.5].map((price): [object, string] => [
      { price },
      'price must be a decimal in text with 1 to 6 digits before the point and 2 after it, such as "1.00".',
    ]),
    [{ meals: [{ at: '8:00', grams: 250 }] }, 'meals.0.at must be a time of the day, such as 08:00.'],
    [{ meals: [{ at: '08:00', grams: 250, with: 'rice' }] }, 'meals.0.property with should not exist.'],
  ])('400: refuses %j', async (given, message) => {
    const { body } = await add(given).expect(400);

    expect(body).toEqual({ code: 'validation_failed', message, status: 400 });
  });

  it('200: lists by day and kennel, in both directions, from page to page', async () => {
    await add().expect(201);
    await add({ firstDay: '2027-03-01', lastDay: '2027-03-01', kennel: 'large' }).expect(201);
    await add({ firstDay: '2027-02-01', lastDay: '2027-02-01', kennel: 'outdoor' }).expect(201);

    expect(ids(await send('GET', '/v1/bookings?sort=-firstDay'))).toEqual([2, 3, 1]);
    expect(ids(await send('GET', '/v1/bookings?since=2027-02-01&before=2027-03-01'))).toEqual([3]);
    const first = await send('GET', '/v1/bookings?kennel=outdoor&kennel=small&limit=1').expect(200);
    const [, next] = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)!;
    expect(ids(first)).toEqual([1]);
    expect(ids(await send('GET', next!))).toEqual([3]);
  });

  it('200: changes only what was sent, if the booking is the one that the caller knows', async () => {
    const { headers } = await add().expect(201);
    const change = (tag: string) =>
      send('PATCH', '/v1/bookings/1').set('If-Match', tag).send({ kennel: 'large' });

    const { body } = await change(headers['etag']!).expect(200);

    expect(body).toMatchObject({ kennel: 'large', price: '147.50', arrivesAt: '2027-01-30T08:30:00.000Z' });
    await change(headers['etag']!).expect(412);
  });

  it('200: removes the instant of a booking with null, and refuses null elsewhere', async () => {
    await add().expect(201);
    const change = (body: object) => send('PATCH', '/v1/bookings/1').set('If-Match', '*').send(body);

    expect((await change({ arrivesAt: null }).expect(200)).body).toMatchObject({ arrivesAt: null });
    await change({ kennel: null }).expect(400);
  });

  it('200: adds up the prices by kennel', async () => {
    await add().expect(201);
    await add({ firstDay: '2027-02-01', lastDay: '2027-02-01', price: '0.07' }).expect(201);

    await send('GET', '/v1/bookings/totals?since=2027-01-01&before=2027-03-01').expect(200, {
      kennels: [{ kennel: 'small', bookings: 2, price: '147.57' }],
    });
  });

  it('400: adds up no days whose end is before their beginning', async () => {
    const { body } = await send('GET', '/v1/bookings/totals?since=2027-01-02&before=2027-01-02').expect(400);

    expect(body).toEqual({ code: 'invalid_parameter', message: 'before must be after since.', status: 400 });
  });

  it('204: removes a booking, and its days are free again', async () => {
    await add().expect(201);
    await add().expect(409);
    await send('DELETE', '/v1/bookings/1').expect(204);
    await add().expect(201);
  });
});
