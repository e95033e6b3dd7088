const { spawn } = require('node:child_process');
const { once } = require('node:events');
const { chmodSync, existsSync, mkdtempSync, readFileSync, statfsSync } = require('node:fs');
const { join } = require('node:path');

/** In Linux its files are in memory. In a container it may be small. */
const MEMORY = '/dev/shm';
const ROOM_BYTES = 4e9;

/** Waiting for a disk takes longer than most tests, and nothing of a run has to outlive it. */
function useMemoryForFiles() {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return;
  const { bavail, bsize } = statfsSync(MEMORY);
  const runsNoPrograms = /^\S+ \/dev\/shm \S+ \S*noexec/m.test(readFileSync('/proc/mounts', 'utf8'));
  if (bavail * bsize < ROOM_BYTES || runsNoPrograms) return;
  globalThis.folderInMemory = process.env.TMPDIR = mkdtempSync(join(MEMORY, 'animal-store-tests-'));
  // PostgreSQL runs as another user.
  chmodSync(process.env.TMPDIR, 0o755);
}

/** The application serves them, and a run of one suite must not depend on an earlier build. */
async function makeAssets() {
  if (process.env.ACCEPT && existsSync('dist/assets')) return;
  const making = spawn(process.execPath, ['scripts/build/build.mjs', 'assets'], { stdio: 'inherit' });
  const [status] = await once(making, 'exit');
  if (status !== 0) throw new Error('What the pages load could not be made.');
}

/** Starts the PostgreSQL that all suites of the run share, for which only those that need it wait. */
async function sharePostgres() {
  const { hasPostgres, PostgresServer } = require('../../libs/database/src/testing/postgres-server.ts');
  if (!hasPostgres()) return;
  const server = await PostgresServer.create();
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_POSTGRES_DATA = server.newData;
  // A failure shows in the suites that use PostgreSQL.
  server.launch().catch(() => undefined);
  globalThis.sharedPostgres = server;
}

module.exports = async () => {
  useMemoryForFiles();
  const { default: bundlePackages } = await import('./bundled-packages.mjs');
  await Promise.all([bundlePackages(), makeAssets()]);
  await sharePostgres();
};

Object.assign(module.exports, { sharePostgres, useMemoryForFiles });
