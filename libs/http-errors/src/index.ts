export {
  CODED_STATUSES,
  type HttpError,
  httpErrorFrom,
  httpErrorOf,
  sendError,
  sentErrorCode,
  setErrorHeaders,
} from './http-error.js';
export { HttpErrorsModule } from './http-errors.module.js';
export { HttpErrorFilter } from './http-error.filter.js';
export { escapeMalformedPath, refuseMalformedPath } from './routes/malformed-path.guard.js';
export { MalformedPath, MethodNotAllowed, RouteNotFound } from './routes/route.errors.js';
export { type Route, RouteTable } from './routes/route-table.js';
