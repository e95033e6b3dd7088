import type { DataSource } from 'typeorm';
import { acceptBytea, connectionOf, poolOf, readIntegersExactly } from './typeorm-internals.js';

it.each([
  ['master', poolOf],
  ['databaseConnection', connectionOf],
  ['supportedDataTypes', acceptBytea],
  ['createGeneratedMap', readIntegersExactly],
])('a release of TypeORM without %s ends the start', (name, use) => {
  expect(() => use({ driver: {} } as DataSource)).toThrow(`This release of TypeORM has no ${name}`);
});
