export {
  CODED_STATUSES,
  httpErrorFrom,
  httpErrorOf,
  sendError,
  sentErrorCode,
  setErrorHeaders,
} from './http-error.js';
export type { HttpError } from './http-error.js';
export { HttpErrorsModule } from './http-errors.module.js';
export { HttpErrorFilter } from './http-error.filter.js';
export type { HttpErrorFilterOptions } from './http-error.filter.js';
export {
  escapeMalformedPath,
  MalformedPathGuard,
  refuseMalformedPath,
} from './routes/malformed-path.guard.js';
export { MalformedPath, MethodNotAllowed, RouteNotFound } from './routes/route.errors.js';
export { RouteTable } from './routes/route-table.js';
export type { Route } from './routes/route-table.js';
export { UnmatchedRoutesModule } from './routes/unmatched-routes.module.js';
export type { UnmatchedRoutesOptions } from './routes/unmatched-routes.module.js';
