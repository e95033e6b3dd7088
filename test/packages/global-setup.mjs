// Packs the libraries once for all suites.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import bundlePackages from '../support/bundled-packages.mjs';

export default async function setUp() {
  await bundlePackages();
  const folder = mkdtempSync(join(tmpdir(), 'animal-store-tarballs-'));
  process.env.LIBRARY_TARBALLS = folder;
  process.stderr.write('Packing the libraries …\n');
  const script = resolve(import.meta.dirname, '../../scripts/pack-libraries.mjs');
  execFileSync(process.execPath, [script, '--silent', '--pack-destination', folder], { stdio: 'inherit' });
}

export function tearDown() {
  rmSync(process.env.LIBRARY_TARBALLS, { recursive: true });
}
