import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';

type Components = OpenAPIObject['components'];

const valuesOf = (components: Components, name: string) =>
  (components!.schemas![name] as { enum: string[] }).enum;

interface List {
  readonly items?: { readonly $ref?: string };
  maxItems: number;
}

/** The lists of values of this schema. */
function listsOf(document: OpenAPIObject, schema: string): List[] {
  const lists: List[] = [];
  JSON.stringify(document, (_, value: List | null) => {
    if (value?.items?.$ref === `#/components/schemas/${schema}`) lists.push(value);
    return value;
  });
  return lists;
}

const FILES = ['openapi.json', 'openapi.released.json', 'breaking-changes.json'];

describe('A change of the OpenAPI document that breaks callers', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'breaking-changes-'));
    for (const name of FILES) cpSync(join('docs', name), join(folder, name));
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  function check(...options: string[]) {
    const words = ['scripts/check-breaking-changes.mjs', folder, ...options];
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
    return { status, stderr };
  }

  function edit(change: (document: OpenAPIObject) => void): void {
    const file = join(folder, 'openapi.json');
    const document = JSON.parse(readFileSync(file, 'utf8')) as OpenAPIObject;
    change(document);
    writeFileSync(file, JSON.stringify(document));
  }

  function accept(reasons: Readonly<Record<string, string>>): void {
    const file = join(folder, 'breaking-changes.json');
    const others = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...others, ...reasons }));
  }

  it('is none in the document of today that nobody gave a reason for', () => {
    expect(check()).toEqual({ status: 0, stderr: '' });
  });

  it.each<[string, string, (document: OpenAPIObject) => void]>([
    [
      'an operation that was removed',
      'remove paths /pets/{petId} get',
      ({ paths }) => delete paths['/pets/{petId}']!.get,
    ],
    [
      'a parameter that is required',
      'add paths /pets get parameters',
      ({ paths }) =>
        paths['/pets']!.get!.parameters!.push({
          name: 'shop',
          in: 'query',
          required: true,
          schema: { type: 'string' },
        }),
    ],
    [
      'a value that was removed',
      'schema enum 0',
      ({ components }) => void valuesOf(components, 'PetStatus').shift(),
    ],
    [
      'a new status, which callers may not know',
      'properties status allOf 0 enum 3',
      ({ components }) => void valuesOf(components, 'PetStatus').push('boarded'),
    ],
    [
      'a scope that was renamed',
      'scopes items enum 0',
      ({ components }) => void (valuesOf(components, 'Scope')[0] = 'animals:read'),
    ],
    [
      'a list of events that has become shorter',
      'properties events maxItems',
      (document) => {
        for (const list of listsOf(document, 'WebhookEvent')) list.maxItems = 2;
      },
    ],
    [
      'a field of a response that was removed',
      'properties categoryId',
      ({ components }) =>
        void delete (components!.schemas!['Animal'] as { properties: Record<string, object> }).properties[
          'categoryId'
        ],
    ],
  ])('fails: %s', (_, line, change) => {
    edit(change);
    const { status, stderr } = check();
    expect(status).toBe(1);
    expect(stderr).toContain(line);
  });

  it.each<[string, (document: OpenAPIObject) => void]>([
    ['other words', ({ paths }) => (paths['/pets']!.get!.summary = 'See pets')],
    [
      'a parameter that may be left out',
      ({ paths }) =>
        paths['/pets']!.get!.parameters!.push({ name: 'shop', in: 'query', schema: { type: 'string' } }),
    ],
    [
      'a new scope, wherever it is in the list',
      (document) => {
        valuesOf(document.components, 'Scope').unshift('visits:read');
        for (const list of listsOf(document, 'Scope')) list.maxItems++;
      },
    ],
    [
      'a new event',
      (document) => {
        for (const name of ['OrderEventType', 'WebhookEvent', 'DeliveredEvent'])
          valuesOf(document.components, name).splice(1, 0, 'order.expired');
        for (const list of listsOf(document, 'WebhookEvent')) list.maxItems++;
      },
    ],
  ])('is not %s', (_, change) => {
    edit(change);
    expect(check()).toEqual({ status: 0, stderr: '' });
  });

  it('is accepted with a reason, and with nothing else', () => {
    edit(({ paths }) => delete paths['/pets/{petId}']!.get);
    accept({ 'paths /pets/{petId} get': ' ' });
    expect(check().status).toBe(1);
    accept({ 'paths /pets/{petId} get': 'It never worked.' });
    expect(check()).toEqual({ status: 0, stderr: '' });
  });

  it('is no change any more when it was taken back, and its reason has to go', () => {
    accept({ 'paths /pets/{petId} get': 'It never worked.' });
    expect(check()).toEqual({
      status: 1,
      stderr: 'Accepted, and no change any more: paths /pets/{petId} get\n',
    });
  });

  it('is part of the next release, which begins without reasons', () => {
    edit(({ paths }) => delete paths['/pets/{petId}']!.get);
    expect(check('--release').status).toBe(0);
    expect(readFileSync(join(folder, 'breaking-changes.json'), 'utf8')).toBe('{}\n');
    expect(check()).toEqual({ status: 0, stderr: '' });
  });
});
