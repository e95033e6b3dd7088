import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { VERSION } from './version.js';

it('the version is that of package.json', () => {
  const text = readFileSync(resolve(__dirname, '../package.json'), 'utf8');
  expect(VERSION).toBe((JSON.parse(text) as { version: string }).version);
});
