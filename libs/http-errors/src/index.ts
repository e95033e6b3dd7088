export { errorBody } from './error-body.js';
export { ErrorResponse } from './error.response.js';
export { HttpErrorFilter } from './http-error.filter.js';
export type { ErrorAnswer, HttpErrorFilterOptions } from './http-error.filter.js';
export { malformedPathMiddleware } from './malformed-path.middleware.js';
export { RouteTable } from './route-table.js';
export type { Route } from './route-table.js';
export { UnmatchedRoutesModule } from './unmatched-routes.module.js';
export type { UnmatchedRoutesOptions } from './unmatched-routes.module.js';
