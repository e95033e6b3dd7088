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
  client: 'animal-store-client',
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
};

describe('The file of a sample', () => {
  const bytes = { schema: { type: 'string', format: 'binary' } };

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
  const bytes = { schema: { type: 'string', format: 'binary' } };

  it.each([
    [{ 'application/json': { schema: {} } }, 'text'],
    [undefined, 'text'],
    [{ 'text/event-stream': { schema: {} } }, 'events'],
    [{ 'image/jpeg': bytes, 'image/png': bytes }, { file: 'file.jpeg' }],
  ])('of %j is %j', (content, result) => {
    expect(resultOf(content)).toEqual(result);
  });
});

describe('The sample in', () => {
  it('curl escapes what a shell would read, and sends a body that begins with @ as it is', () => {
    expect(SAMPLES['curl']!(ADD, null)).toBe(
      `curl 'http://localhost:3000/v1/pets' \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Idempotency-Key: once' \\
  --data-raw '{"name":"O'\\''Malley 9007199254740993","categoryId":9223372036854775807,"age":7}'`,
    );
  });

  it('curl names the method when it is not the one that curl takes', () => {
    expect(SAMPLES['curl']!(CANCEL, null)).toMatch(/^curl -X POST 'http:.*\/cancel' /);
    expect(SAMPLES['curl']!(LIST, null)).toMatch(/^curl 'http:.*&status=sold' /);
    expect(SAMPLES['curl']!({ ...PHOTO, method: 'POST' }, null)).toMatch(/^curl 'http:/);
  });

  it('JavaScript sends the digits of an int64 as they were entered', () => {
    expect(SAMPLES['JavaScript (fetch)']!(ADD, null))
      .toBe(`const response = await fetch("http://localhost:3000/v1/pets", {
  method: "POST",
  headers: {
    Authorization: \`Bearer \${process.env.API_KEY}\`,
    "Content-Type": "application/json",
    "Idempotency-Key": "once",
  },
  body: "{\\"name\\":\\"O'Malley 9007199254740993\\",\\"categoryId\\":9223372036854775807,\\"age\\":7}",
});
console.log(response.status, await response.text());`);
  });

  it('TypeScript calls the method of the client, with bigints beyond 2⁵³ and the idempotency key', () => {
    expect(SAMPLES['TypeScript client']!(ADD, null)).toBe(`import { animalStore } from 'animal-store-client';

const api = animalStore({ baseUrl: "http://localhost:3000/v1", apiKey: process.env['API_KEY'] ?? '' });
console.log(await api.createPet({"name":"O'Malley 9007199254740993","categoryId":9223372036854775807n,"age":7}, { idempotencyKey: "once" }));`);
    expect(SAMPLES['TypeScript client']!(LIST, null)).toContain(
      'api.listPets({ limit: 20, status: "sold" })',
    );
    expect(SAMPLES['TypeScript client']!(CANCEL, null)).toContain(
      'api.cancelOrder({ orderId: 9223372036854775807n })',
    );
    expect(SAMPLES['TypeScript client']!({ ...LIST, parameters: {} }, null)).toContain('api.listPets()');
  });

  it('Python needs nothing but its standard library', () => {
    expect(SAMPLES['Python']!(CANCEL, null)).toBe(`import os
import urllib.error
import urllib.request

request = urllib.request.Request(
    "http://localhost:3000/v1/store/orders/9223372036854775807/cancel",
    method="POST",
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
    },
)
try:
    with urllib.request.urlopen(request) as response:
        print(response.status, response.read().decode())
except urllib.error.HTTPError as error:
    print(error.code, error.read().decode())`);
  });

  it.each([
    ['curl', `curl -X PUT 'http://localhost:3000/v1/pets/1/photo' \\\n`],
    ['curl', `  -H 'Content-Type: image/png' \\\n  --data-binary '@a "b".png'`],
    ['JavaScript (fetch)', `import { readFile } from 'node:fs/promises';\n\nconst response = await fetch(`],
    ['JavaScript (fetch)', '  body: await readFile("a \\"b\\".png"),\n});'],
    ['TypeScript client', `import { readFile } from 'node:fs/promises';\n`],
    [
      'TypeScript client',
      'api.setPhoto({ petId: 1, bytes: await readFile("a \\"b\\".png"), mediaType: "image/png" })',
    ],
    ['Python', `    data=open("a \\"b\\".png", "rb").read(),\n)`],
  ])('%s sends a file as it is: %s', (language, part) => {
    expect(SAMPLES[language]!(PHOTO, null)).toContain(part);
  });

  it.each([
    ['curl', `curl 'http://localhost:3000/v1/pets/1/photo' \\\n`],
    ['curl', `  --fail --output 'file.png'`],
    ['JavaScript (fetch)', `import { writeFile } from 'node:fs/promises';\n\nconst response = await fetch(`],
    [
      'JavaScript (fetch)',
      '});\nif (!response.ok) throw new Error(await response.text());\n' +
        'await writeFile("file.png", Buffer.from(await response.arrayBuffer()));',
    ],
    ['TypeScript client', `import { writeFile } from 'node:fs/promises';\n`],
    [
      'TypeScript client',
      'const blob = await api.getPhoto({ petId: 1 });\n' +
        'await writeFile("file.png", Buffer.from(await blob.arrayBuffer()));',
    ],
    ['Python', `    open("file.png", "wb").write(response.read())`],
  ])('%s writes bytes into a file: %s', (language, part) => {
    const sample = SAMPLES[language]!({ ...GET_PHOTO, result: { file: 'file.png' } }, null);
    expect(sample).toContain(part);
    expect(sample).not.toMatch(/console|print\(response/);
  });

  it.each([
    ['curl', `curl -N 'http://localhost:3000/v1/pets/1/photo'`],
    [
      'JavaScript (fetch)',
      'for await (const text of response.body.pipeThrough(new TextDecoderStream())) console',
    ],
    ['Python', `        for line in response:\n            print(line.decode(), end="")`],
  ])('%s shows events as they come: %s', (language, part) => {
    expect(SAMPLES[language]!({ ...GET_PHOTO, result: 'events' }, null)).toContain(part);
  });

  it.each(Object.entries(SAMPLES))('%s has the key only when it is given one', (_language, sample) => {
    expect(sample(ADD, null)).not.toContain('ask_');
    expect(sample(ADD, 'ask_live_1')).toContain('ask_live_1');
    expect(sample(ADD, 'ask_live_1')).not.toContain('API_KEY');
  });
});
