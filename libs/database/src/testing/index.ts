export { debianPostgres, hasPostgres, PostgresServer } from './postgres-server.js';
export { StallingProxy } from './stalling-proxy.js';
export {
  databases,
  describeOnPostgres,
  openNewSqlite,
  sqliteOptions,
  type TemporaryDatabase,
  temporaryPostgres,
  temporaryPostgresOptions,
  temporarySqlite,
} from './temporary-database.js';
