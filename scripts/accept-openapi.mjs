// Writes the OpenAPI document of the built service to docs/openapi.json.
import { readFileSync, writeFileSync } from 'node:fs';
import prettier from 'prettier';
import { ThrowawayStore } from './throwaway-store.mjs';

const SNAPSHOT = 'docs/openapi.json';

const store = new ThrowawayStore({ PORT: '0' });
try {
  const url = await store.start();
  const served = await (await fetch(`${url}/openapi.json`)).text();
  // Prettier does not parse numbers, so the bounds of int64 stay exact.
  const text = await prettier.format(served, {
    ...(await prettier.resolveConfig(SNAPSHOT)),
    filepath: SNAPSHOT,
  });
  const changed = text !== readFileSync(SNAPSHOT, { encoding: 'utf8', flag: 'a+' });
  writeFileSync(SNAPSHOT, text);
  process.stdout.write(`${SNAPSHOT} ${changed ? 'is changed' : 'was up to date'}.\n`);
} finally {
  await store.stop();
}
