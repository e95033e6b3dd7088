export {
  apiErrors,
  ApiErrors,
  documentErrors,
  type DocumentedError,
  type ErrorDocumentation,
  errorResponse,
  type ThrownError,
} from './documented-errors.js';
export { ErrorResponse } from './error.schemas.js';
