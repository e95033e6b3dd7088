import { Webhook as Standard } from 'standardwebhooks';
import { InvalidWebhook, verify } from '../../clients/typescript/src/index.js';

const SECRET = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDazfmKXjlHFc=';
const OTHER = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
const NOW = Date.UTC(2026, 2, 14, 12);
const now = () => NOW;
const BODY =
  '{"type":"animal.added","timestamp":"2026-03-14T12:00:00.000Z","data":{"id":9223372036854775807,"name":"Łucja 🦜","categoryId":7,"status":"available"}}';
const EVENT = {
  type: 'animal.added',
  timestamp: '2026-03-14T12:00:00.000Z',
  data: { id: 9223372036854775807n, name: 'Łucja 🦜', categoryId: 7n, status: 'available' },
};

/** Headers that the reference implementation of Standard Webhooks has signed. */
function signed(body = BODY, secrets = [SECRET], atMs = NOW) {
  const signatures = secrets.map((secret) => new Standard(secret).sign('evt_1', new Date(atMs), body));
  return {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    'webhook-signature': signatures.join(' '),
  };
}

describe('verify', () => {
  it('accepts what the reference implementation has signed, with exact int64s', async () => {
    expect(await verify(signed(), BODY, SECRET, { now })).toEqual(EVENT);
  });

  it('takes the headers of fetch and of Node, and the body as bytes', async () => {
    expect(await verify(new Headers(signed()), BODY, SECRET, { now })).toEqual(EVENT);
    expect(await verify(signed(), new TextEncoder().encode(BODY), SECRET, { now })).toEqual(EVENT);
    expect(await verify(signed(), Buffer.from(BODY), SECRET, { now })).toEqual(EVENT);
  });

  it('takes names in any case, and a list of one, as frameworks give them', async () => {
    const { 'webhook-id': id, ...others } = signed();
    expect(await verify({ 'Webhook-Id': id, ...others }, BODY, SECRET, { now })).toEqual(EVENT);
    expect(await verify({ 'WEBHOOK-ID': [id], ...others }, BODY, SECRET, { now })).toEqual(EVENT);
    await expect(verify({ 'webhook-id': [id, id], ...others }, BODY, SECRET, { now })).rejects.toThrow(
      new InvalidWebhook('webhook-id is missing.'),
    );
  });

  it('takes the headers of another implementation of fetch', async () => {
    const all: Readonly<Record<string, string>> = signed();
    const headers = { get: (name: string) => all[name.toLowerCase()] ?? null };
    expect(await verify(headers, BODY, SECRET, { now })).toEqual(EVENT);
    await expect(verify({ get: () => null }, BODY, SECRET, { now })).rejects.toThrow(
      new InvalidWebhook('webhook-id is missing.'),
    );
  });

  it('takes a secret without its prefix', async () => {
    expect(await verify(signed(), BODY, SECRET.replace('whsec_', ''), { now })).toEqual(EVENT);
  });

  it('accepts one right signature among several, whichever secret the receiver has', async () => {
    const both = signed(BODY, [OTHER, SECRET]);
    expect(await verify(both, BODY, SECRET, { now })).toEqual(EVENT);
    expect(await verify(both, BODY, OTHER, { now })).toEqual(EVENT);
    const newer = { ...signed(), 'webhook-signature': `v1a,xyz v2,abc ${signed()['webhook-signature']}` };
    expect(await verify(newer, BODY, SECRET, { now })).toEqual(EVENT);
  });

  it('has the int64s of an order, and none of a test', async () => {
    const order =
      '{"type":"order.placed","timestamp":"2026-03-14T12:00:00.000Z","data":{"id":1,"petId":7,"status":"placed","placedAt":"2026-03-14T12:00:00.000Z","updatedAt":"2026-03-14T12:00:00.000Z"}}';
    const event = await verify(signed(order), order, SECRET, { now });
    expect(event.type === 'order.placed' && event.data.petId).toBe(7n);
    const test = '{"type":"webhook.test","timestamp":"2026-03-14T12:00:00.000Z","data":{}}';
    expect(await verify(signed(test), test, SECRET, { now })).toMatchObject({
      type: 'webhook.test',
      data: {},
    });
  });

  it('rounds no number of an event that is newer than the client', async () => {
    const body =
      '{"type":"animal.moved","timestamp":"2026-03-14T12:00:00.000Z","data":{"id":9223372036854775807,"to":[-9007199254740993],"kilos":9007199254740991,"name":"9223372036854775807"}}';
    expect(await verify(signed(body), body, SECRET, { now })).toEqual({
      type: 'animal.moved',
      timestamp: '2026-03-14T12:00:00.000Z',
      data: {
        id: 9223372036854775807n,
        to: [-9007199254740993n],
        kilos: 9007199254740991,
        name: '9223372036854775807',
      },
    });
  });

  it.each<[string, Partial<ReturnType<typeof signed>>, string, string]>([
    ['another body', {}, `${BODY} `, SECRET],
    ['another secret', {}, BODY, OTHER],
    ['another id', { 'webhook-id': 'evt_2' }, BODY, SECRET],
    ['another time', { 'webhook-timestamp': String(NOW / 1_000 + 1) }, BODY, SECRET],
    [
      'a signature of another version',
      { 'webhook-signature': 'v2,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN' },
      BODY,
      SECRET,
    ],
    ['a signature that is no base64', { 'webhook-signature': 'v1,%%%' }, BODY, SECRET],
    ['a shorter signature', { 'webhook-signature': 'v1,AAAA' }, BODY, SECRET],
    ['an empty signature', { 'webhook-signature': '' }, BODY, SECRET],
  ])('refuses %s', async (_, change, body, secret) => {
    await expect(verify({ ...signed(), ...change }, body, secret, { now })).rejects.toThrow(
      new InvalidWebhook('No signature is right.'),
    );
  });

  it.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'refuses a request without %s',
    async (name) => {
      const headers = { ...signed(), [name]: undefined };
      await expect(verify(headers, BODY, SECRET, { now })).rejects.toThrow(
        new InvalidWebhook(`${name} is missing.`),
      );
    },
  );

  it.each([-301_000, 301_000])(
    'refuses what was sent %i ms away from now, though it is signed',
    async (ms) => {
      const headers = signed(BODY, [SECRET], NOW + ms);
      await expect(verify(headers, BODY, SECRET, { now })).rejects.toThrow(
        'webhook-timestamp is too far from now.',
      );
      expect(await verify(headers, BODY, SECRET, { now, toleranceSeconds: 400 })).toEqual(EVENT);
    },
  );

  it.each(['', 'soon', '1e9', '-1', '0x10', `${NOW / 1_000}.5`])('refuses the time %j', async (text) => {
    const headers = { ...signed(), 'webhook-timestamp': text };
    await expect(verify(headers, BODY, SECRET, { now })).rejects.toThrow(
      'webhook-timestamp is too far from now.',
    );
  });

  it.each(['', 'whsec_', 'ask_live_x', 'whsec_%%%'])('says that %j is no secret', async (secret) => {
    await expect(verify(signed(), BODY, secret, { now })).rejects.toThrow(TypeError);
  });
});
