export { ApiErrors, errorResponse } from './documented-errors.js';
export { ErrorResponse } from './error.schemas.js';
