const { execFileSync } = require('node:child_process');

/**
 * Makes the assets of the pages, and starts the PostgreSQL that all suites of the run share. Only suites that need it wait
 * for it.
 */
module.exports = async () => {
  const { default: bundlePackages } = await import('./bundled-packages.mjs');
  await bundlePackages();
  // The application serves them; a run of one suite must not depend on an earlier build.
  execFileSync(process.execPath, ['scripts/build-assets.mjs', '--if-needed'], { stdio: 'inherit' });
  const { hasPostgres, PostgresServer } = require('../../libs/database/src/testing/postgres-server.ts');
  if (!hasPostgres()) return;
  const server = await PostgresServer.create();
  process.env.TEST_POSTGRES_URL = server.url;
  process.env.TEST_POSTGRES_DATA = server.newData;
  // A failure shows in the suites that use PostgreSQL.
  server.launch().catch(() => undefined);
  globalThis.sharedPostgres = server;
};
