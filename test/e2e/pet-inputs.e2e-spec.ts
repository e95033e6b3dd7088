import type { Test } from 'supertest';
import { RawConnection } from '@animal-store/web/testing';
import { TestApp } from '../support/test-app.js';

describe('What pets take', () => {
  let store: TestApp;
  let key: string;

  /** The tests of the group share a store that is empty at first. */
  function onNewStore(): void {
    beforeAll(async () => {
      store = await TestApp.start();
      key = await store.key();
    });

    afterAll(() => store.stop());
  }

  function get(path: string): Test {
    return store.send('GET', path, key);
  }

  /** Adds an animal from JSON text, so that numbers arrive exactly as written. */
  function post(body: string, contentType = 'application/json'): Test {
    return store.send('POST', '/v1/pets', key).set('Content-Type', contentType).send(body);
  }

  describe('Of one animal', () => {
    onNewStore();

    describe('POST /v1/pets that is refused', () => {
      it.each([
        ['{"categoryId":7}', /^name is required\.$/],
        ['{"name":"Rex"}', /^categoryId is required\.$/],
        ['{}', /^name is required; categoryId is required\.$/],
        ['{"name":"","categoryId":7}', /^name must not be empty or blank\.$/],
        ['{"name":7,"categoryId":7}', /^name must be a string/],
        ['{"name":"\\ud83e","categoryId":7}', /^name must not contain lone surrogates/],
        ['{"name":"Rex","categoryId":"7"}', /^categoryId must be a JSON number, without quotes\.$/],
        [
          '{"name":"Rex","categoryId":7.5}',
          /^categoryId must be a whole number from -9223372036854775808 to 9223372036854775807\.$/,
        ],
        ['{"name":"Rex","categoryId":9007199254740993.0}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":4.9999999999999999999}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":1e-400}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":1e19}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":9223372036854775808}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":-9223372036854775809}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":null}', /^categoryId must be a whole number/],
        ['{"name":"Rex","categoryId":true}', /^categoryId must be a whole number/],
        [
          '{"name":"Rex","categoryId":7,"status":"lost"}',
          /^status must be one of available, pending, sold\.$/,
        ],
        ['{"name":"Rex","categoryId":7,"status":null}', /^status must not be null/],
        ['{"name":"Rex","categoryId":7,"id":5}', /^"id" is not a field here/],
        ['{"name":"Rex","categoryId":7,"__proto__":{"status":"sold"}}', /^"__proto__" is not a field here/],
        ['[]', /^the body must be a JSON object\.$/],
        ['null', /^the body must be a JSON object/],
        ['7', /^the body must be a JSON object/],
      ])('400 validation_failed: refuses %s and adds nothing', async (body, message) => {
        const response = await post(body).expect(400);

        expect(response.body).toEqual({
          code: 'validation_failed',
          message: expect.stringMatching(message) as string,
          status: 400,
        });
        expect((await get('/v1/pets')).body).toEqual([]);
      });

      it.each([
        '',
        '{',
        '{"name":"Rex",}',
        '{"name":"Rex" "categoryId":7}',
        '{"a":1,"a":2}',
        '['.repeat(9_000),
        'NaN',
      ])('400 invalid_json: refuses %.20s', async (body) => {
        const response = await post(body).expect(400);

        expect(response.body).toEqual({
          code: 'invalid_json',
          message: expect.stringMatching(/^The body must be valid JSON/) as string,
          status: 400,
        });
      });

      it('400 invalid_json: refuses a body that is not UTF-8', async () => {
        const response = await store
          .send('POST', '/v1/pets', key)
          .set('Content-Type', 'application/json')
          .serialize((body) => body as string)
          .send(Buffer.from([0x22, 0xff, 0x22]) as unknown as string)
          .expect(400);

        expect((response.body as { code: string }).code).toBe('invalid_json');
      });

      it.each([
        'text/plain',
        'application/x-www-form-urlencoded',
        'application/json; charset=latin1',
        'application/jsonp',
      ])('415: refuses the content type %s', async (contentType) => {
        const response = await post('{"name":"Rex","categoryId":7}', contentType).expect(415);

        expect(response.body).toEqual({
          code: 'unsupported_media_type',
          message: 'Content-Type must be application/json, in UTF-8.',
          status: 415,
        });
      });

      it('415: refuses a compressed body', async () => {
        const response = await post('{"name":"Rex","categoryId":7}')
          .set('Content-Encoding', 'gzip')
          .expect(415);

        expect((response.body as { code: string }).code).toBe('unsupported_media_type');
      });

      it('413: refuses a body over 16 KiB, with and without Content-Length', async () => {
        const body = `{"name":"${'a'.repeat(16_384)}","categoryId":7}`;

        expect((await post(body).expect(413)).body).toEqual({
          code: 'payload_too_large',
          message: 'The body must not exceed 16384 bytes.',
          status: 413,
        });
      });
    });

    describe('POST /v1/pets of many connections at once', () => {
      it('413: refuses bodies over 16 KiB in chunks, also those that have arrived before they are read', async () => {
        const many = await store.limitedKey(1_000, 1_000);
        const body = '{"name":"Rex","categoryId":7}'.padEnd(16_385);
        const connections = await Promise.all(
          Array.from({ length: 40 }, () => RawConnection.open(store.port)),
        );
        for (const connection of connections)
          connection.send(
            `POST /v1/pets HTTP/1.1\r\nHost: store.example\r\nAuthorization: Bearer ${many}\r\nContent-Type: application/json\r\n` +
              `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
          );
        for (const connection of connections) {
          expect((await connection.until(1)).map(({ status }) => status)).toEqual([413]);
          connection.socket.destroy();
        }
      });
    });

    describe('GET /v1/pets/{petId}', () => {
      beforeAll(() => post('{"name":"Rex","categoryId":7}').expect(201));

      it.each([
        '2',
        '0',
        '-1',
        '9223372036854775807',
        '9223372036854775808',
        '-9223372036854775809',
        'abc',
        '1.0',
        '1e0',
        '01',
        '+1',
        '0x1',
        '%31%00',
        '１',
        '1'.repeat(5_000),
        'null',
      ])('404: there is no animal %.30s', async (petId) => {
        const response = await get(`/v1/pets/${encodeURI(petId).replace(/%25/g, '%')}`).expect(404);

        expect(response.body).toEqual({
          code: 'pet_not_found',
          message: `No animal has id ${decodeURI(petId).slice(0, 64)}.`,
          status: 404,
        });
      });
    });

    describe('POST /v1/pets that is accepted', () => {
      it.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '-9007199254740993', '0'])(
        '201: stores the categoryId %s exactly and returns it in every response',
        async (categoryId) => {
          const { text } = await post(`{"name":"Rex","categoryId":${categoryId}}`).expect(201);
          const [, id] = /"id":(\d+)/.exec(text)!;

          expect(text).toBe(`{"id":${id},"name":"Rex","categoryId":${categoryId},"status":"available"}`);
          expect((await get(`/v1/pets/${id}`)).text).toBe(text);
          expect((await get('/v1/pets?limit=100')).text).toContain(text);
        },
      );

      it('201: reads 7.0, 7e0, 70e-1 and 0.7e1 as the whole number that they are', async () => {
        for (const categoryId of ['7.0', '7e0', '70e-1', '0.7e1']) {
          const { body } = await post(`{"name":"Rex","categoryId":${categoryId}}`).expect(201);
          expect(body).toMatchObject({ categoryId: 7 });
        }
      });

      it('201: trims the name and otherwise stores it as sent', async () => {
        const response = await post('{"name":"  Łucja \\ud83e\\udd9c \\"II\\"  ","categoryId":7}').expect(
          201,
        );

        expect((response.body as { name: string }).name).toBe('Łucja 🦜 "II"');
      });

      it('201: accepts the content type of JSON in any spelling', async () => {
        for (const contentType of [
          'application/json; charset=utf-8',
          'Application/JSON;charset="UTF-8"',
          'application/json; profile=x',
        ]) {
          await post('{"name":"Rex","categoryId":7}', contentType).expect(201);
        }
      });

      it('201: accepts a body of 16 KiB', async () => {
        await post('{"name":"Rex","categoryId":7}'.padEnd(16_384)).expect(201);
      });
    });
  });

  describe('GET /v1/pets', () => {
    onNewStore();

    beforeAll(async () => {
      for (let added = 0; added < 21; added++) {
        await post(`{"name":"Rex","categoryId":7,"status":"${added < 3 ? 'sold' : 'available'}"}`).expect(
          201,
        );
      }
    });

    function ids(body: unknown): number[] {
      return (body as { id: number }[]).map(({ id }) => id);
    }

    function nextPage(link: string | undefined): string {
      return /^<([^>]+)>; rel="next"$/.exec(link ?? '')![1]!;
    }

    it('200: lists 20 by default, ascending by id, with a link to the next page', async () => {
      const first = await get('/v1/pets').expect(200);
      expect(ids(first.body)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
      const second = await get(nextPage(first.headers['link'])).expect(200);
      expect(ids(second.body)).toEqual([21]);
      expect(second.headers['link']).toBeUndefined();
    });

    const UNKNOWN =
      /^"(stauts|status\[\]|Limit|colour|__proto__|)" is not a parameter here \(known: status, limit, cursor\)\.$/;
    const LIMIT =
      /^limit must be (a whole number from 1 to 100|given once)(\.$|; "limit\[\]" is not a parameter here )/;
    const STATUS = /^status must be /;

    it.each<[string[], RegExp]>([
      [
        ['stauts=sold', 'status[]=sold', 'Limit=1', 'limit=1&colour=a&colour=b', '__proto__=1', '=1'],
        UNKNOWN,
      ],
      [['limit=0', 'limit=101', 'limit=-1', 'limit=abc', 'limit=', 'limit=1.5', 'limit=1e1'], LIMIT],
      [
        ['limit=0x10', 'limit=%2020', 'limit=20&limit=20', 'limit[]=20&limit=0', `limit=${10n ** 20n}`],
        LIMIT,
      ],
      [
        ['status=lost', 'status=', 'status=SOLD', 'status=sold&status=sold', 'status=%ff', 'status=sold%00'],
        STATUS,
      ],
      [['cursor=%00'], /^cursor must not contain the character U\+0000\.$/],
    ])('400 invalid_parameter: refuses each of %j', async (queries, message) => {
      for (const query of queries) {
        const { body } = await get(`/v1/pets?${query}`).expect(400);
        const error = {
          code: 'invalid_parameter',
          message: expect.stringMatching(message) as string,
          status: 400,
        };
        expect([query, body]).toEqual([query, error]);
      }
    });

    it('400 invalid_cursor: refuses a cursor that is changed, invented or from another list', async () => {
      const page = nextPage((await get('/v1/pets?limit=1')).headers['link']);
      const cursor = new URLSearchParams(page.split('?')[1]).get('cursor')!;

      for (const query of [
        `cursor=${cursor.slice(0, -1)}`,
        `cursor=${cursor}A`,
        `cursor=B${cursor.slice(1)}`,
        'cursor=',
        'cursor=2',
        `status=available&cursor=${cursor}`,
      ]) {
        const response = await get(`/v1/pets?${query}`).expect(400);
        expect(response.body).toMatchObject({ code: 'invalid_cursor', status: 400 });
      }
    });
  });
});
