/**
 * Starts the PostgreSQL that all suites of the run share, without waiting for it. Suites that need it wait
 * (src/platform/database/testing/temporary-database.ts), so that other runs lose no time.
 */
module.exports = async () => {
  const { hasPostgres, PostgresServer } = require('../../src/platform/database/testing/postgres-server.ts');
  if (!hasPostgres()) return;
  const server = await PostgresServer.create();
  process.env.TEST_POSTGRES_URL = server.url;
  // A failure shows in the suites that use PostgreSQL.
  server.launch().catch(() => undefined);
  globalThis.sharedPostgres = server;
};
