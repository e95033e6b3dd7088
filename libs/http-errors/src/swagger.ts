export { apiErrors, ApiErrors, documentErrors, errorResponse } from './documented-errors.js';
export { ErrorResponse } from './error.schemas.js';
