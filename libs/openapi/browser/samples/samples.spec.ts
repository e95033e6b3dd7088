import { fileOf, resultOf, type SampleRequest, SAMPLES } from './samples.js';

const ADD: SampleRequest = {
  client: 'animal-store-client',
  operationId: 'createPet',
  method: 'POST',
  baseUrl: 'http://localhost:3000/v1',
  url: 'http://localhost:3000/v1/pets',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
  file: null,
  body: '{"name":"O\'Malley 9007199254740993","categoryId":9223372036854775807,"age":7}',
  result: 'text',
  parameters: {},
};
const LIST: SampleRequest = {
  client: 'animal-store-client',
  operationId: 'listPets',
  method: 'GET',
  baseUrl: 'http://localhost:3000/v1',
  url: 'http://localhost:3000/v1/pets?limit=20&status=sold',
  headers: {},
  body: null,
  file: null,
  result: 'text',
  parameters: { limit: '20', status: '"sold"' },
};
const CANCEL: SampleRequest = {
  ...LIST,
  operationId: 'cancelOrder',
  method: 'POST',
  url: 'http://localhost:3000/v1/store/orders/9223372036854775807/cancel',
  parameters: { orderId: '9223372036854775807' },
};

const PHOTO: SampleRequest = {
  ...LIST,
  operationId: 'setPhoto',
  method: 'PUT',
  url: 'http://localhost:3000/v1/pets/1/photo',
  headers: { 'Content-Type': 'image/png' },
  file: { name: 'a "b".png', mediaType: 'image/png' },
  parameters: { petId: '1' },
};

const GET_PHOTO: SampleRequest = {
  ...PHOTO,
  operationId: 'getPhoto',
  method: 'GET',
  headers: {},
  file: null,
  result: { file: 'file.png' },
};

const EVENTS: SampleRequest = { ...GET_PHOTO, result: 'events' };

const bytes = { schema: { type: 'string', format: 'binary' } };

describe('The file of a sample', () => {
  it.each([
    [{ 'image/png': bytes, 'image/jpeg': bytes }, undefined, undefined, 'file.png', 'image/png'],
    [{ 'image/png': bytes, 'image/jpeg': bytes }, 'image/jpeg', undefined, 'file.jpeg', 'image/jpeg'],
    [{ 'image/svg+xml': bytes }, undefined, undefined, 'file.svg', 'image/svg+xml'],
    [{ 'image/png': bytes }, 'image/png', new File([], 'Rex.png'), 'Rex.png', 'image/png'],
  ])('of %j, with %s chosen and the file %s', (content, chosen, value, name, mediaType) => {
    expect(fileOf(content, chosen, value)).toEqual({ name, mediaType });
  });

  it.each([[{ 'application/json': { schema: { $ref: '#' } } }], [undefined]])('is none of %j', (content) => {
    expect(fileOf(content, undefined, undefined)).toBeNull();
  });
});

describe('The result of a sample', () => {
  it.each([
    [{ 'application/json': { schema: {} } }, 'text'],
    [undefined, 'text'],
    [{ 'text/event-stream': { schema: {} } }, 'events'],
    [{ 'image/jpeg': bytes, 'image/png': bytes }, { file: 'file.jpeg' }],
  ])('of %j is %j', (content, result) => {
    expect(resultOf(content)).toEqual(result);
  });
});

/** The whole samples run in the suites with a browser, as the explorer shows them for every operation. */
const PARTS: Readonly<Record<string, readonly (readonly [SampleRequest, string])[]>> = {
  curl: [
    // Without -X POST, which the body implies.
    [
      ADD,
      `curl 'http://localhost:3000/v1/pets' \\\n  -H "Authorization: Bearer $API_KEY" \\\n  -H 'Content-Type: `,
    ],
    // A text that begins with @ would be a file after -d.
    [ADD, `  --data-raw '{"name":"O'\\''Malley 9007199254740993","categoryId":9223372036854775807,"age":7}'`],
    [CANCEL, `curl -X POST 'http://localhost:3000/v1/store/orders/9223372036854775807/cancel' \\\n`],
    [LIST, `curl 'http://localhost:3000/v1/pets?limit=20&status=sold' `],
    [{ ...PHOTO, method: 'POST' }, `curl 'http://localhost:3000/v1/pets/1/photo' `],
    [PHOTO, `curl -X PUT 'http://localhost:3000/v1/pets/1/photo' \\\n`],
    [PHOTO, `  -H 'Content-Type: image/png' \\\n  --data-binary '@a "b".png'`],
    [GET_PHOTO, `  --fail --output 'file.png'`],
    [EVENTS, `curl -N 'http://localhost:3000/v1/pets/1/photo'`],
  ],
  'JavaScript (fetch)': [
    [ADD, '  method: "POST",\n  headers: {\n    Authorization: `Bearer ${process.env.API_KEY}`,\n'],
    [PHOTO, `import { readFile } from 'node:fs/promises';\n\nconst response = await fetch(`],
    [PHOTO, '  body: await readFile("a \\"b\\".png"),\n});'],
    [GET_PHOTO, `import { writeFile } from 'node:fs/promises';\n\nconst response = await fetch(`],
    [
      GET_PHOTO,
      '});\nif (!response.ok) throw new Error(await response.text());\nawait writeFile("file.png", Buffer.from(',
    ],
    [EVENTS, 'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console'],
  ],
  'TypeScript client': [
    [
      ADD,
      `api.createPet({"name":"O'Malley 9007199254740993","categoryId":9223372036854775807n,"age":7}, { idempotencyKey: "once" })`,
    ],
    [LIST, 'api.listPets({ limit: 20, status: "sold" })'],
    [{ ...LIST, parameters: {} }, 'api.listPets()'],
    [CANCEL, 'api.cancelOrder({ orderId: 9223372036854775807n })'],
    [PHOTO, `import { readFile } from 'node:fs/promises';\n`],
    [PHOTO, 'api.setPhoto({ petId: 1, bytes: await readFile("a \\"b\\".png"), mediaType: "image/png" })'],
    [GET_PHOTO, `import { writeFile } from 'node:fs/promises';\n`],
    [GET_PHOTO, 'const blob = await api.getPhoto({ petId: 1 });\nawait writeFile("file.png", Buffer.from('],
    // The client reads no streams.
    [EVENTS, 'for await (const text of response.body'],
  ],
  Python: [
    [
      CANCEL,
      `cancel",\n    method="POST",\n    headers={\n        "Authorization": f"Bearer {os.environ['API_KEY']}",\n    },\n)`,
    ],
    [PHOTO, `    data=open("a \\"b\\".png", "rb").read(),\n)`],
    [GET_PHOTO, `    open("file.png", "wb").write(response.read())`],
    [EVENTS, `        for line in response:\n            print(line.decode(), end="")`],
  ],
};

describe.each(Object.entries(PARTS))('The sample in %s', (language, parts) => {
  const sample = SAMPLES[language]!;

  it.each(parts.map(([request, part]) => [request.operationId, part, request] as const))(
    'of %s has %s',
    (_, part, request) => {
      expect(sample(request, null)).toContain(part);
    },
  );

  it('shows no bytes', () => {
    expect(sample(GET_PHOTO, null)).not.toMatch(/console|print\(response/);
  });

  it('has the key only when it is given one', () => {
    expect(sample(ADD, null)).not.toContain('ask_');
    expect(sample(ADD, 'ask_live_1')).toContain('ask_live_1');
    expect(sample(ADD, 'ask_live_1')).not.toContain('API_KEY');
  });
});
