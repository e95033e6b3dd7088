import { type SampleRequest, SAMPLES } from './samples.js';

const ADD: SampleRequest = {
  client: 'animal-store-client',
  operationId: 'createPet',
  method: 'POST',
  baseUrl: 'http://localhost:3000/v1',
  target: '/pets',
  headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
  body: '{"name":"O\'Malley 9007199254740993","categoryId":9223372036854775807,"age":7}',
  parameters: {},
};
const LIST: SampleRequest = {
  client: 'animal-store-client',
  operationId: 'listPets',
  method: 'GET',
  baseUrl: 'http://localhost:3000/v1',
  target: '/pets?limit=20&status=sold',
  headers: {},
  body: null,
  parameters: { limit: '20', status: '"sold"' },
};
const CANCEL: SampleRequest = {
  ...LIST,
  client: 'animal-store-client',
  operationId: 'cancelOrder',
  method: 'POST',
  target: '/store/orders/9223372036854775807/cancel',
  parameters: { orderId: '9223372036854775807' },
};

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

const api = animalStore({ baseUrl: "http://localhost:3000/v1", apiKey: process.env.API_KEY });
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
import urllib.request

request = urllib.request.Request(
    "http://localhost:3000/v1/store/orders/9223372036854775807/cancel",
    method="POST",
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, response.read().decode())`);
  });

  it.each(Object.entries(SAMPLES))('%s has the key only when it is given one', (_language, sample) => {
    expect(sample(ADD, null)).not.toContain('ask_');
    expect(sample(ADD, 'ask_live_1')).toContain('ask_live_1');
    expect(sample(ADD, 'ask_live_1')).not.toContain('API_KEY');
  });
});
