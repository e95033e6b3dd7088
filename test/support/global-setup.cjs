/**
 * Starts the PostgreSQL that every suite of the run shares, and waits for nothing: who needs it waits for it
 * (src/platform/database/testing/temporary-database.ts), so that a run that does not need it loses no time.
 */
module.exports = async () => {
  const { hasPostgres, PostgresServer } = require('../../src/platform/database/testing/postgres-server.ts');
  if (!hasPostgres()) return;
  const server = await PostgresServer.create();
  process.env.TEST_POSTGRES_URL = server.url;
  // When it fails, the suites on PostgreSQL say so.
  server.launch().catch(() => undefined);
  globalThis.sharedPostgres = server;
};
