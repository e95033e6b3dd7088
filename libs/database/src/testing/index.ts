export { debianPostgres, hasPostgres, postgresResponds, PostgresServer } from './postgres-server.js';
export { hasPgBouncer, PgBouncer } from './pg-bouncer.js';
export { StatementCatalogue } from './statement-catalogue.js';
export { StallingProxy } from './stalling-proxy.js';
export {
  databases,
  describeOnPostgres,
  describeRepository,
  emptyBeforeEach,
  onEmptySqlite,
  openNewSqlite,
  type RepositoryUnderTest,
  sqliteOptions,
  type TemporaryDatabase,
  temporaryPostgres,
  temporaryPostgresOptions,
  temporarySqlite,
} from './temporary-database.js';
export { groupedSql } from '../statements/grouped-statement.js';
