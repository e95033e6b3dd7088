// Packs the libraries once for all suites, and starts the PostgreSQL that those of the built program share.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import bundlePackages from '../support/bundled-packages.mjs';
import setUpTests from '../support/global-setup.cjs';
import tearDownTests from '../support/global-teardown.cjs';

export default async function setUp() {
  await bundlePackages();
  await setUpTests.sharePostgres();
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-tarballs-'));
  process.env.LIBRARY_TARBALLS = folder;
  process.stderr.write('Packing the libraries …\n');
  const script = resolve(import.meta.dirname, '../../scripts/pack-libraries.mjs');
  execFileSync(process.execPath, [script, '--silent', '--pack-destination', folder], { stdio: 'inherit' });
}

export async function tearDown() {
  await tearDownTests();
  rmSync(process.env.LIBRARY_TARBALLS, { recursive: true });
}
