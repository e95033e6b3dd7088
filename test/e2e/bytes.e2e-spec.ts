import { createHash } from 'node:crypto';
import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Module,
  Post,
  Put,
  Res,
  StreamableFile,
} from '@nestjs/common';
import { ApiBody, ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import type { Response } from 'express';
import { Idempotent } from '@animal-store/idempotency/swagger';
import { Operation } from '@animal-store/openapi';
import { FindKey } from '../../src/access/application/find-key.use-case.js';
import { StoreKeyIssuer } from '../../src/access/application/key-issuer.service.js';
import { hashApiKey } from '@animal-store/api-keys';
import type { Precondition } from '@animal-store/kernel';
import {
  BytesBody,
  entityTag,
  IfMatch,
  IfNoneMatch,
  type IsKnown,
  RequestInputGuard,
} from '@animal-store/web';
import { RawConnection } from '@animal-store/web/testing';
import { IdempotencyModule } from '@animal-store/web/idempotency';
import { within } from '../support/server-process.js';
import { TestApp } from '../support/test-app.js';

const PATIENCE_MS = 20_000;
const IMAGES = { types: ['image/png', 'image/jpeg'], maxBytes: 100_000 } as const;
const TABLE = { types: ['text/csv'], maxBytes: 10 } as const;
const LETTERS = Buffer.from('abcdefghijklmnopqrstuvwxyz');
const PATH = '/v1/pictures';

class NoteDto {
  @IsString()
  @ApiProperty()
  text: string;
}

/** The streams that handlers have returned. */
const streams: Readable[] = [];
/** How many pictures were added. */
let added = 0;
interface Picture {
  readonly bytes: Buffer;
  readonly etag: string;
}

let stored: Picture | null = null;
/** How often its bytes were read. */
let readings = 0;
/** The turn of the event loop that runs, while a test counts them, and those in which slow handlers have begun. */
let turn = 0;
let startedIn: number[];
/** What they read from. */
let file: string;

function opened(stream: Readable, options: { type: string; length?: number }): StreamableFile {
  streams.push(stream);
  return new StreamableFile(stream, options);
}

const documented = { summary: 'Get', description: 'Bytes.', response: { bytes: IMAGES } } as const;

@Controller({ path: 'pictures', version: '1' })
class PicturesController {
  @Put()
  @HttpCode(200)
  @Operation({ summary: 'Set', description: 'Sets it.', response: { changed: NoteDto } })
  set(@BytesBody(IMAGES) { bytes, mediaType }: BytesBody): NoteDto {
    return { text: `${mediaType} ${bytes.length} ${createHash('sha256').update(bytes).digest('hex')}` };
  }

  @Put('stored')
  @Operation({ summary: 'Keep', description: 'Keeps it.', response: 'stored' })
  async putStored(
    @BytesBody(IMAGES) { bytes }: BytesBody,
    @IfMatch((picture: Picture) => picture.etag, { ifNoneMatch: true })
    isCurrent: Precondition<Picture | null> | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    isCurrent?.(stored);
    response.statusCode = stored ? 204 : 201;
    stored = { bytes, etag: await entityTag(bytes) };
    response.setHeader('ETag', stored.etag);
  }

  @Get('stored')
  @Operation(documented)
  getStored(
    @IfNoneMatch() isKnown: IsKnown | undefined,
    @Res({ passthrough: true }) response: Response,
  ): StreamableFile {
    const { bytes, etag } = stored!;
    response.setHeader('ETag', etag);
    if (!isKnown?.(etag)) readings++;
    return new StreamableFile(isKnown?.(etag) ? Buffer.alloc(0) : bytes, { type: 'image/png' });
  }

  @Delete('stored')
  @HttpCode(204)
  @Operation({ summary: 'Remove', description: 'Removes it.', response: 'nothing' })
  remove(
    @IfMatch((picture: Picture) => picture.etag, { required: true }) isCurrent: Precondition<Picture | null>,
  ): void {
    isCurrent(stored);
    stored = null;
  }

  @Put('table')
  @HttpCode(200)
  @Operation({ summary: 'Set', description: 'Sets it.', response: { changed: NoteDto } })
  setTable(@BytesBody(TABLE) { bytes, mediaType }: BytesBody): NoteDto {
    return { text: `${mediaType} ${bytes.toString()}` };
  }

  @Post()
  @Idempotent()
  @Operation({ summary: 'Add', description: 'Adds one.', response: { created: NoteDto } })
  async addPicture(
    @BytesBody(IMAGES) { bytes }: BytesBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<NoteDto> {
    response.setHeader('ETag', await entityTag(bytes));
    return { text: `${bytes.length} ${++added}` };
  }

  @Put('note')
  setNote(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Post('note')
  note(@Body() note: NoteDto): NoteDto {
    return note;
  }

  @Get('letters')
  @Operation(documented)
  letters(): StreamableFile {
    return new StreamableFile(LETTERS, { type: 'image/png', disposition: 'inline; filename="a.png"' });
  }

  /** More than the kernel takes from a server whose client does not read. */
  @Get('large')
  @Operation(documented)
  large(): StreamableFile {
    return new StreamableFile(Buffer.alloc(16_000_000), { type: 'image/png' });
  }

  @Get('stream')
  @Operation(documented)
  stream(@Res({ passthrough: true }) response: Response): StreamableFile {
    response.setHeader('ETag', '"one"');
    return opened(createReadStream(file, { highWaterMark: 7 }), { type: 'image/png', length: 26 });
  }

  /** As long as reading many bytes takes. */
  @Get('slow')
  @Operation(documented)
  slow(): StreamableFile {
    startedIn.push(turn);
    const endMs = performance.now() + 6;
    while (performance.now() < endMs);
    return new StreamableFile(LETTERS, { type: 'image/png' });
  }

  @Get('weak')
  weak(@Res({ passthrough: true }) response: Response): StreamableFile {
    response.setHeader('ETag', 'W/"one"');
    return new StreamableFile(LETTERS, { type: 'image/png' });
  }

  /** Made for one request: nothing that could be requested again. */
  @Post('letters')
  @HttpCode(200)
  makeLetters(): StreamableFile {
    return new StreamableFile(LETTERS, { type: 'image/png' });
  }

  @Get('unknown-length')
  unknownLength(): StreamableFile {
    return opened(createReadStream(file), { type: 'image/png' });
  }

  @Get('missing')
  missing(): StreamableFile {
    return opened(createReadStream(`${file}.no`), { type: 'image/png', length: 26 });
  }

  @Get('short')
  short(): StreamableFile {
    return opened(createReadStream(file), { type: 'image/png', length: 27 });
  }

  @Get('long')
  long(): StreamableFile {
    return opened(createReadStream(file, { highWaterMark: 4 }), { type: 'image/png', length: 10 });
  }

  @Get('failing')
  failing(): StreamableFile {
    async function* chunks() {
      yield LETTERS.subarray(0, 5);
      await Promise.resolve();
      throw new Error('planted');
    }
    return opened(Readable.from(chunks(), { objectMode: false }), { type: 'image/png', length: 26 });
  }

  @Get('endless')
  endless(): StreamableFile {
    const chunk = Buffer.alloc(65_536);
    return opened(new Readable({ read() { this.push(chunk); } }), { type: 'image/png', length: 1e12 }); // prettier-ignore
  }

  @Get('empty')
  empty(): StreamableFile {
    return new StreamableFile(Buffer.alloc(0), { type: 'image/png' });
  }
}

@Module({ imports: [IdempotencyModule], controllers: [PicturesController] })
class PicturesModule {}

it('Bytes that nobody reads have a bound: 429 beyond that of an account, and 503 beyond that of all', async () => {
  const store = await TestApp.startWith(PicturesModule, { BODY_MEMORY_BYTES: '40000000' });
  try {
    const used = () => store.app.get(RequestInputGuard).memory.usedBytes;
    const [key, other, third] = [await store.key('business', 'zoo'), await store.key(), await store.key()];
    const sibling = await store.key('business', 'zoo');
    const open: RawConnection[] = [];
    for (const [count, holder] of [key, other].entries()) {
      const connection = await RawConnection.open(store.port);
      connection.socket.pause();
      connection.send(`GET ${PATH}/large HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${holder}\r\n\r\n`);
      open.push(connection);
      await within(PATIENCE_MS, () => used() === 16_000_000 * (count + 1));
    }
    for (const [refused, status, code] of [
      [key, 429, 'rate_limit_exceeded'],
      [sibling, 429, 'rate_limit_exceeded'],
      [third, 503, 'service_unavailable'],
    ] as const) {
      const { body, headers } = await store.send('GET', `${PATH}/large`, refused).expect(status);
      expect(body).toMatchObject({ code });
      expect([headers['etag'], headers['retry-after']]).toEqual([undefined, '10']);
    }
    for (const connection of open) connection.reset();
    await within(PATIENCE_MS, () => used() === 0);
    await store.send('GET', `${PATH}/large`, key).expect(200);
    await within(PATIENCE_MS, () => used() === 0);
  } finally {
    await store.stop();
  }
});

it('The start refuses an operation whose body would leave no room for that of another account', async () => {
  await expect(TestApp.startWith(PicturesModule, { BODY_MEMORY_BYTES: '199999' })).rejects.toThrow(
    'accepts 100000 bytes: BODY_MEMORY_BYTES must be twice that, for another account.',
  );
});

describe('Bytes', () => {
  let store: TestApp;
  let key: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'bytes-'));
    file = join(folder, 'letters');
    writeFileSync(file, LETTERS);
    store = await TestApp.startWith(PicturesModule, {
      REQUEST_TIMEOUT_MS: '2000',
      HEADERS_TIMEOUT_MS: '1000',
      BODY_MEMORY_BYTES: '400000',
    });
    key = await store.key();
  });

  afterAll(async () => {
    await store.stop();
    rmSync(folder, { recursive: true });
  });

  beforeEach(() => (streams.length = 0));

  const memory = () => store.app.get(RequestInputGuard).memory.usedBytes;

  describe('in a request', () => {
    const put = (bytes: Buffer, type = 'image/png', path = PATH) =>
      store.send('PUT', path, key).set('Content-Type', type).send(bytes);

    async function raw(head: string, body = '', withKey = key): Promise<RawConnection> {
      const connection = await RawConnection.open(store.port);
      const authorization = `Host: x\r\nAuthorization: Bearer ${withKey}\r\nContent-Type: image/png\r\n`;
      return connection.send(`PUT ${PATH} HTTP/1.1\r\n${authorization}${head}\r\n\r\n${body}`);
    }

    it.each([
      ['image/png', 1],
      ['image/jpeg', 99_999],
      ['IMAGE/PNG; charset=binary', 100_000],
    ])('200: takes %s of %i bytes as they are', async (type, length) => {
      const bytes = Buffer.from(Array.from({ length }, (_, index) => index % 256));
      const { body } = await put(bytes, type).expect(200);

      const hash = createHash('sha256').update(bytes).digest('hex');
      expect(body).toEqual({ text: `${type.split(';')[0]!.toLowerCase()} ${length} ${hash}` });
      expect(memory()).toBe(0);
    });

    it.each(['application/json', 'text/plain', 'image/gif', 'image/pngx', 'image', 'multipart/form-data'])(
      '415: %s, whatever its bytes are',
      async (type) => {
        const { body } = await put(Buffer.from('{}'), type).expect(415);

        expect(body).toEqual({
          code: 'unsupported_media_type',
          message: 'Content-Type must be image/png or image/jpeg.',
          status: 415,
        });
      },
    );

    it('415: compressed', async () => {
      await put(LETTERS).set('Content-Encoding', 'gzip').expect(415);
    });

    it.each<[string, 'PUT' | 'POST', string, string | Buffer]>([
      ['bytes', 'PUT', PATH, LETTERS],
      ['JSON', 'PUT', `${PATH}/note`, '{"text":"a"}'],
    ])('400: a PUT of a part of %s, which would replace the whole', async (_, method, path, part) => {
      const type = part === LETTERS ? 'image/png' : 'application/json';
      const { body } = await store
        .send(method, path, key)
        .set({ 'Content-Type': type, 'Content-Range': 'bytes 0-25/100' })
        .send(part)
        .expect(400);

      expect(body).toEqual({
        code: 'invalid_parameter',
        message: 'Content-Range must be left out: a PUT replaces the whole content (RFC 9110, section 14.5).',
        status: 400,
      });
    });

    it('201: a POST has no parts, so its Content-Range means nothing (RFC 9110, section 14.4)', async () => {
      const post = store.send('POST', PATH, key).set('Content-Type', 'image/png');
      await post.set('Content-Range', 'bytes 0-25/100').send(LETTERS).expect(201);
    });

    it.each(['If-Match', 'If-None-Match'])('400: %s where the operation does not read it', async (name) => {
      for (const sent of [put(LETTERS), store.send('POST', `${PATH}/note`, key).send({ text: 'a' })]) {
        const { body } = await sent.set(name, '*').expect(400);
        expect(body).toEqual({
          code: 'invalid_parameter',
          message: `${name} must be left out: the operation does not compare it.`,
          status: 400,
        });
      }
    });

    it('201, 204, 412: If-Match and If-None-Match as an operation requires them', async () => {
      const putStored = (bytes: Buffer, name: string, value: string) =>
        put(bytes, 'image/png', `${PATH}/stored`).set(name, value);
      stored = null;
      await putStored(LETTERS, 'If-Match', '*').expect(412);
      const { headers: ofNew, text } = await putStored(LETTERS, 'If-None-Match', '*').expect(201);
      await putStored(LETTERS, 'If-Match', '*').expect(204);
      const refused = await putStored(LETTERS, 'If-None-Match', '*').expect(412);
      const { headers } = await store.send('GET', `${PATH}/stored`, key).expect(200);
      const tag = headers['etag']!;
      expect([ofNew['etag'], text]).toEqual([tag, '']);
      expect(refused.headers).not.toHaveProperty('etag');
      await putStored(Buffer.from('a'), 'If-Match', `"x", ${tag}`).expect(204);
      const { body } = await putStored(Buffer.from('b'), 'If-Match', tag).expect(412);
      expect(body).toMatchObject({ code: 'precondition_failed' });
      await putStored(Buffer.from('b'), 'If-Match', '*').set('If-None-Match', '*').expect(412);
      await putStored(Buffer.from('b'), 'If-None-Match', tag).expect(400);

      expect(String(stored!.bytes)).toBe('a');
    });

    it('428, 204: nothing is removed without the If-Match that an operation requires', async () => {
      stored = { bytes: LETTERS, etag: '"k"' };
      const remove = () => store.send('DELETE', `${PATH}/stored`, key);
      expect((await remove().expect(428)).body).toMatchObject({ code: 'precondition_required' });
      await remove().set('If-Match', '"x"').expect(412);
      expect(stored).not.toBeNull();
      await remove().set('If-Match', '"k"').expect(204);

      expect(stored).toBeNull();
    });

    it.each([
      ['bytes', PATH, 'image/png', 'x'.repeat(1_000)],
      ['JSON', `${PATH}/note`, 'application/json', `{"text":"${'x'.repeat(989)}"}`],
    ])('401: %s that arrive after their key is revoked', async (_, path, type, text) => {
      const revoked = await store.key();
      const connection = await RawConnection.open(store.port);
      const method = path === PATH ? 'PUT' : 'POST';
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${revoked}\r\n`;
      connection.send(`${head}Content-Type: ${type}\r\nContent-Length: 1000\r\n\r\n${text.slice(0, 500)}`);
      const served = jest.spyOn(store.app.get(RequestInputGuard), 'canActivate');
      await within(PATIENCE_MS, () => served.mock.calls.length > 0);
      served.mockRestore();
      const { id } = await store.app.get(FindKey).execute({ hash: hashApiKey(revoked) });
      await store.app.get(StoreKeyIssuer).revoke(id);
      const isRefused = async () => (await store.send('GET', `${PATH}/letters`, revoked)).status === 401;
      while (!(await isRefused())) await new Promise(setImmediate);
      connection.send(text.slice(500));
      const [response] = await connection.until(1);

      expect(response!.status).toBe(401);
      expect(response!.body).toContain('invalid_api_key');
      connection.close();
    });

    it('400: empty', async () => {
      const { body } = await put(Buffer.alloc(0)).expect(400);
      expect(body).toMatchObject({ code: 'validation_failed', message: 'The body must not be empty.' });
      const [response] = await (await raw('Transfer-Encoding: chunked', '0\r\n\r\n')).until(1);
      expect(response!.status).toBe(400);
    });

    it('413: each operation has its own limit, and that of JSON is another', async () => {
      const { body } = await put(Buffer.alloc(100_001)).expect(413);
      expect(body).toMatchObject({ message: 'The body must not exceed 100000 bytes.' });
      await put(Buffer.alloc(11, 'a'), 'text/csv', `${PATH}/table`).expect(413);
      await put(Buffer.alloc(10, 'a'), 'text/csv', `${PATH}/table`).expect(200, {
        text: 'text/csv aaaaaaaaaa',
      });
      await store
        .send('POST', `${PATH}/note`, key)
        .send({ text: 'x'.repeat(20_000) })
        .expect(413);
    });

    it('201: once for an Idempotency-Key, which other bytes may not have', async () => {
      const post = (bytes: Buffer, type = 'image/png') =>
        store.send('POST', PATH, key).set({ 'Idempotency-Key': 'once', 'Content-Type': type }).send(bytes);
      const first = await post(Buffer.alloc(90_000, 1)).expect(201);
      expect(first.headers['etag']).toBe(await entityTag(Buffer.alloc(90_000, 1)));
      const again = await post(Buffer.alloc(90_000, 1)).expect(201, first.body as object);
      expect(again.headers['etag']).toBe(first.headers['etag']);

      for (const other of [post(Buffer.alloc(90_000, 2)), post(Buffer.alloc(90_000, 1), 'image/jpeg')])
        expect((await other).body).toMatchObject({ code: 'idempotency_key_reused' });
    });

    it('401: reads nothing for a caller without a key', async () => {
      const [response] = await (await raw('Content-Length: 100000', '', 'ask_test_x')).until(1);
      expect(response!.status).toBe(401);
    });

    it('413: chunked above the limit, while it is still being sent', async () => {
      const connection = await raw('Transfer-Encoding: chunked');
      const chunk = `8000\r\n${'x'.repeat(0x8000)}\r\n`;
      connection.send(chunk.repeat(4));
      const [response] = await connection.until(1);

      expect(response!.status).toBe(413);
      connection.close();
      await within(PATIENCE_MS, () => memory() === 0);
    });

    it('408: a body that is shorter than it says, or slow', async () => {
      const [response] = await (await raw('Content-Length: 50', 'x'.repeat(49))).untilClosed();

      expect(response!.status).toBe(408);
      expect(memory()).toBe(0);
    });

    it('what is longer than it says is another request, and no part of the body', async () => {
      const next = `GET ${PATH}/letters HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const [response, second] = await (await raw('Content-Length: 3', `abc${next}`)).untilClosed();

      expect(response!.body).toContain('image/png 3 ');
      expect(second!.status).toBe(401);
    });

    it('gives everything back for uploads that their senders abort', async () => {
      const connections = await Promise.all(
        Array.from({ length: 3 }, () => raw('Content-Length: 90000', 'x'.repeat(30_000))),
      );
      await within(PATIENCE_MS, () => memory() === 90_000);
      for (const connection of connections) connection.reset();

      await within(PATIENCE_MS, () => memory() === 0);
    });

    it('429 beyond what a key may have, and 503 beyond what all bodies may have', async () => {
      const unfinished = (withKey: string) => raw('Content-Length: 100000', 'x'.repeat(90_000), withKey);
      const connections = [await unfinished(key)];
      await within(PATIENCE_MS, () => memory() === 90_000);
      const { body, headers } = await put(Buffer.alloc(20_000)).expect(429);
      expect(body).toMatchObject({ code: 'rate_limit_exceeded' });
      expect(headers['retry-after']).toBe('10');
      await within(PATIENCE_MS, () => store.logLines.some((line) => line.includes('"status":429')));
      const isOfIt = (line: string) => /"status":429|A request failed/.test(line);
      expect(store.logLines.filter(isOfIt).join()).toMatch(/^{"level":"info"/);

      for (let other = 2; other <= 4; other++) connections.push(await unfinished(await store.key()));
      await within(PATIENCE_MS, () => memory() === 360_000);
      await store
        .send('PUT', PATH, await store.key())
        .set('Content-Type', 'image/png')
        .send(Buffer.alloc(50_000))
        .expect(503);
      for (const connection of connections) connection.reset();
      await within(PATIENCE_MS, () => memory() === 0);
      await put(Buffer.alloc(20_000)).expect(200);
    });

    it('are in the OpenAPI document with their types, their limit and their errors', async () => {
      const { body } = await store.send('GET', '/openapi.json', null).expect(200);
      const { requestBody, responses } = body.paths['/pictures'].put;

      const schema = { type: 'string', format: 'binary', maxLength: 100_000 };
      expect(requestBody).toEqual({
        required: true,
        content: { 'image/png': { schema }, 'image/jpeg': { schema } },
      });
      expect(responses['413'].content['application/json'].examples['payload_too_large'].value.message).toBe(
        'The body must not exceed 100000 bytes.',
      );
      expect(
        responses['415'].content['application/json'].examples['unsupported_media_type'].value.message,
      ).toBe('Content-Type must be image/png or image/jpeg.');
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '408', '413', '415']));
    });
  });

  describe('in a response', () => {
    const get = (path: string, headers: Record<string, string> = {}) =>
      store.send('GET', `${PATH}/${path}`, key).set(headers).buffer(true).parse(bytesOf);

    it('200: bytes have a strong tag, a length and a disposition', async () => {
      const { headers, body } = await get('letters').expect(200);

      expect(body).toEqual(LETTERS);
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'content-length': '26',
        'content-disposition': 'inline; filename="a.png"',
        'accept-ranges': 'bytes',
        'cache-control': 'private, no-cache',
        vary: 'Authorization',
        etag: `"${createHash('sha1').update(LETTERS).digest('base64url')}"`,
      });
    });

    it('304: reads no bytes when the handler compares the tag', async () => {
      stored = { bytes: LETTERS, etag: '"k"' };
      readings = 0;
      const { headers } = await get('stored', { 'If-None-Match': 'W/"k"' }).expect(304);
      expect([headers['etag'], readings]).toEqual(['"k"', 0]);
      expect((await get('stored', { 'If-None-Match': '"x"' }).expect(200)).body).toEqual(LETTERS);
      expect(readings).toBe(1);
    });

    it('begins one slow handler in a turn of the event loop, so that the requests of others are served in between', async () => {
      let isCounting = true;
      const count = () => {
        turn++;
        if (isCounting) setImmediate(count);
      };
      count();
      // The first ones show how long a turn takes.
      const connections = await Promise.all(Array.from({ length: 8 }, () => RawConnection.open(store.port)));
      for (const round of [1, 2]) {
        startedIn = [];
        for (const connection of connections)
          connection.send(`GET ${PATH}/slow HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
        await Promise.all(connections.map((connection) => connection.until(round)));
      }
      isCounting = false;
      for (const connection of connections) connection.close();

      expect(new Set(startedIn).size).toBe(8);
    });

    it('304: a weak tag is compared without its mark, but no part is sent for it', async () => {
      for (const tag of ['W/"one"', '"one"', '*']) await get('weak', { 'If-None-Match': tag }).expect(304);
      await get('weak', { Range: 'bytes=0-1', 'If-Range': 'W/"one"' }).expect(200);
    });

    it('200: the bytes that a POST returns cannot be requested again, nor in part', async () => {
      const post = store.send('POST', `${PATH}/letters`, key).set('Range', 'bytes=0-1');
      const { headers, body } = await post.expect(200);

      expect(body).toEqual(LETTERS);
      for (const name of ['etag', 'accept-ranges', 'cache-control']) expect(headers).not.toHaveProperty(name);
    });

    it.each(['letters', 'stream'])('304 without a body for a tag that is still current: %s', async (path) => {
      const { headers } = await get(path).expect(200);
      const response = await get(path, { 'If-None-Match': `"x", ${headers['etag']}` }).expect(304);

      expect(response.headers['etag']).toBe(headers['etag']);
      expect(response.headers).not.toHaveProperty('content-type');
      await get(path, { 'If-None-Match': '"x"' }).expect(200);
      await within(PATIENCE_MS, () => streams.every(({ destroyed }) => destroyed));
    });

    const whole = 'abcdefghijklmnopqrstuvwxyz';
    describe.each(['letters', 'stream'])('of %s', (path) => {
      it.each([
        ['bytes=0-0', 'a', '0-0'],
        ['bytes=3-5', 'def', '3-5'],
        ['bytes=24-', 'yz', '24-25'],
        ['bytes=-3', 'xyz', '23-25'],
        ['bytes=5-99999999999999999999999', whole.slice(5), '5-25'],
        ['bytes=-99999999999999999999999', whole, '0-25'],
        ['Bytes=0-1', 'ab', '0-1'],
        ['bytes=0-1,', 'ab', '0-1'],
        ['BYTES=-2', 'yz', '24-25'],
      ])('206: %s', async (range, text, shown) => {
        const { headers, body } = await get(path, { Range: range }).expect(206);

        expect(String(body)).toBe(text);
        expect(headers['content-range']).toBe(`bytes ${shown}/26`);
        expect(headers['content-length']).toBe(`${text.length}`);
      });

      it.each([
        'bytes=26-',
        'bytes=5-3',
        'bytes=-0',
        'bytes=99999999999999999999999-',
        'bytes=9007199254740993-9007199254740993',
        'Bytes=26-',
        'bytes=26-27,30-',
      ])('416: %s', async (range) => {
        const { headers, body } = await store
          .send('GET', `${PATH}/${path}`, key)
          .set('Range', range)
          .expect(416);

        expect(body).toMatchObject({ code: 'range_not_satisfiable', status: 416 });
        expect(headers['content-range']).toBe('bytes */26');
        expect(headers['cache-control']).toBe('no-store');
        expect(headers).not.toHaveProperty('etag');
        await within(PATIENCE_MS, () => streams.every(({ destroyed }) => destroyed));
      });

      it.each([
        'bytes=0-1,4-5',
        'bytes=0-1,999-',
        'bytes=999-,0-1',
        'bytes=0-1,x',
        'lines=0-1',
        'bytes',
        'bytes=',
        'bytes=a-b',
        'bytes=-',
        'bytes=1.5-2',
      ])('200: everything for %s', async (range) => {
        const { headers, body } = await get(path, { Range: range }).expect(200);

        expect(String(body)).toBe(whole);
        expect(headers).not.toHaveProperty('content-range');
      });

      it('If-Range: a part only of what is still the same', async () => {
        const { headers } = await get(path).expect(200);
        const part = { Range: 'bytes=0-1' };
        await get(path, { ...part, 'If-Range': headers['etag']! }).expect(206);
        await get(path, { ...part, 'If-Range': '"other"' }).expect(200);
        await get(path, { ...part, 'If-Range': 'Thu, 05 Dec 2030 00:00:00 GMT' }).expect(200);
      });

      it('HEAD: the headers of GET, whatever the Range, and no body', async () => {
        const head = await store.send('HEAD', `${PATH}/${path}`, key).set('Range', 'bytes=0-1').expect(200);

        expect(head.headers['content-length']).toBe('26');
        expect(head.headers['content-type']).toBe('image/png');
        expect(head.headers).toHaveProperty('etag');
        await within(PATIENCE_MS, () => streams.every(({ destroyed }) => destroyed));
      });
    });

    it('200: a stream without a length is sent whole, in chunks', async () => {
      const { headers, body } = await get('unknown-length', { Range: 'bytes=0-1' }).expect(200);

      expect(body).toEqual(LETTERS);
      expect(headers).not.toHaveProperty('accept-ranges');
    });

    it('200: nothing, which has no part', async () => {
      expect((await get('empty').expect(200)).headers['content-length']).toBe('0');
      await store.send('GET', `${PATH}/empty`, key).set('Range', 'bytes=-1').expect(416);
    });

    it('500: a stream that fails before its first byte', async () => {
      const { body } = await store.send('GET', `${PATH}/missing`, key).expect(500);

      expect(body).toMatchObject({ code: 'internal_error', status: 500 });
      expect(store.logLines.pop()).toContain('ENOENT');
    });

    it.each(['failing', 'short'])('cuts the connection when a stream ends too early: %s', async (path) => {
      const connection = await RawConnection.open(store.port);
      connection.send(`GET ${PATH}/${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      await within(PATIENCE_MS, () => connection.socket.closed);

      expect(connection.text).toMatch(/Content-Length: 2[67]\r\n/);
      expect(connection.responses).toEqual([]);
    });

    it('sends no more than the length of a stream that has more', async () => {
      const { body, headers } = await get('long').expect(200);

      expect([String(body), headers['content-length']]).toEqual(['abcdefghij', '10']);
      await get('letters').expect(200);
    });

    it('reads no further than its client, and closes the stream when that goes away', async () => {
      const connection = await RawConnection.open(store.port);
      connection.socket.pause();
      connection.send(`GET ${PATH}/endless HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`);
      await within(PATIENCE_MS, () => streams.length === 1);
      connection.reset();

      await within(PATIENCE_MS, () => streams[0]!.destroyed);
    });

    it('are in the OpenAPI document with their types, a part, and the request headers', async () => {
      const { body } = await store.send('GET', '/openapi.json', null).expect(200);
      const { responses, parameters } = body.paths['/pictures/letters'].get;

      const schema = { type: 'string', format: 'binary', maxLength: 100_000 };
      for (const status of ['200', '206'])
        expect(responses[status].content).toEqual({ 'image/png': { schema }, 'image/jpeg': { schema } });
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['304', '416']));
      expect(parameters.map(({ name }: { name: string }) => name).sort()).toEqual([
        'If-None-Match',
        'If-Range',
        'Range',
      ]);
      expect(body.components.headers).toHaveProperty('Content-Range');
    });
  });

  it('do not start with a body that the document would lose', async () => {
    @Controller({ path: 'lost', version: '1' })
    class LostController {
      @Post()
      @ApiBody({ content: { 'text/csv': { schema: { type: 'string' } } } } as object)
      addLost(@Body() body: unknown): void {
        void body;
      }
    }
    @Module({ controllers: [LostController] })
    class LostModule {}

    await expect(TestApp.startWith(LostModule)).rejects.toThrow(
      'The body of lostAddLost has no schema: @ApiBody({ content }) is lost. Accept bytes with @BytesBody(), and JSON with a class.',
    );
  });
});

function bytesOf(response: object, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  (response as Readable)
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => done(null, Buffer.concat(chunks)));
}
